export { Catalog, type CatalogOptions } from "./catalog.ts";
export type { CatalogSession } from "./catalog-session.ts";
export { type FileSourceOptions, fileSource } from "./file-source.ts";
export type { CatalogFilter, CatalogPage, CatalogSort, ListedCatalogSession } from "./list.ts";
export type { Place } from "./matching.ts";
export { type Condition, parseQuery, type Query } from "./query.ts";
export type { SearchFlag, SearchHit, SearchOptions, SearchResult } from "./search.ts";
export type { CatalogSource, FoundSession, SessionPiece, SourceRecord } from "./source.ts";
export type { UpdateOptions } from "./updating.ts";
