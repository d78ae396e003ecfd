export { jsonCopy, jsonText } from "../entry/json.ts";
export { jsonValue } from "../entry/json-value.ts";
export { encodeEntry, encodeHeader, serialise } from "./encode.ts";
export { fromJulia, fromJuliaHeader, isJuliaHeader, toJulia, toJuliaHeader } from "./julia.ts";
export type { Line } from "./lines.ts";
export { LineSplitter } from "./lines.ts";
export type { DecodedLine, EntryPlace } from "./session-decoder.ts";
export { SessionDecoder } from "./session-decoder.ts";
export type { SessionAccess } from "./stored-header.ts";
