/** Files of the workspace that are part of every prompt. */
export const promptFiles: readonly string[] = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md', 'TOOLS.md']

/** Where remembered text comes from. JARVIS writes `session` and `journal`; files are the operator's. */
export type MemorySourceKind = 'file' | 'session' | 'journal'

/** A passage in the index. `isFromTools`: written by others, so it is treated as data. Times in Unix ms. */
export type MemoryPassage = {
  id: number
  kind: MemorySourceKind
  /** A file's path in the workspace, a session's id, `journal/2026-01-31`. */
  name: string
  title: string
  firstLine: number
  lastLine: number
  heading: string
  text: string
  changedAt: number
  isFromTools: boolean
}

/** A passage that a search found. Ranks are positions in each result list, from 1; absent where the list lacks it. */
export type MemoryHit = MemoryPassage & {
  score: number
  vectorRank?: number
  keywordRank?: number
  /** How many nearly identical passages were left out. */
  folded: number
}
export type MemoryFound = {
  hits: MemoryHit[]
  byKeywordsAlone: boolean
  /** How many passages of conversations were searched by words only, because their embeddings are not made yet. Absent: none. */
  waiting?: number
  /** Synonyms that the search added. */
  others: string[]
  /** Words of the query that were ignored, such as `the`, because other words say more. */
  ignored: string[]
}

/** `GET /api/memory/status`. */
export type MemoryStatus = {
  /** `loading`: the index is read into memory; searches are served from disk meanwhile. */
  state: 'loading' | 'indexing' | 'ready'
  /** Progress of loading or indexing, 0..1. Absent while idle. */
  share?: number
  sources: number
  chunks: number
  /** Chunks that will have an embedding once the model in use has read them. Others are found by words only. */
  embeddable: number
  /** How many of those have an embedding of the model in use. */
  embedded: number
  /** Further chunks of conversations, which are embedded when somebody searches. Older servers leave it out. */
  waiting?: number
  model: string | undefined
  /** Why search uses keywords only, or what could not be indexed; for a person. */
  problem: string | undefined
  /** Files that are not indexed, or only in part, and why. */
  problems: { name: string; problem: string }[]
  /** When and why the index was last rebuilt since the server's start. Unix ms. */
  remade?: { at: number; why: string }
}

export type WorkspaceFile = { path: string; bytes: number; changedAt: number }
export type WorkspaceText = {
  path: string
  text: string
  /** SHA-256 of the file on disk, hex. */
  checksum: string
  /** Unix ms. */
  changedAt: number
  /** Set where `text` differs from the file: it is too large, or not valid UTF-8. */
  problem?: string
}
