export type { HarnessChoice } from "./extended-session.ts";
export type {
  Extension,
  ExtensionAPI,
  ExtensionCommand,
  ExtensionHandler,
  NamedExtension,
  SendMessageOptions,
} from "./extension.ts";
export type * from "./extension-context.ts";
export type { ExtensionFailure, FailureListener } from "./extension-failure.ts";
export { type CommandInfo, type CommandOutcome, ExtensionHost, type ExtensionHostOptions } from "./extension-host.ts";
export type { ExtensionTool } from "./extension-tool.ts";
export {
  type LoadExtensionsOptions,
  type LoadedExtensions,
  loadExtensions,
  type TrustAnswer,
  type TrustQuestion,
} from "./load-extensions.ts";
export {
  type MessageRenderer,
  type MessageTheme,
  plainTheme,
  type RenderedMessage,
  type RenderedNote,
  type Rendering,
  type RenderOptions,
  type ThemeColor,
} from "./message-renderer.ts";
export type { SessionSource } from "./replacements.ts";
export { type TrustDecision, TrustedFolders } from "./trusted-folders.ts";
