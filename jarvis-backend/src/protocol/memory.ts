/** Files of the workspace that every prompt holds whole. */
export const promptFiles: readonly string[] = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md']

/** Where remembered text comes from. `session` and `journal` are JARVIS's own; files are the operator's to edit. */
export type MemorySourceKind = 'file' | 'session' | 'journal'

/** A passage as the index has it. `isFromTools`: written by others, so data wherever it is read. Unix ms. */
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

/** A passage that was found. Ranks are places in each list, from 1; absent where that list does not have it. */
export type MemoryHit = MemoryPassage & {
  score: number
  vectorRank?: number
  keywordRank?: number
  /** How many others said nearly the same and were left out. */
  folded: number
}
export type MemoryFound = {
  hits: MemoryHit[]
  byKeywordsAlone: boolean
  /** How many passages of conversations were compared by words alone; their meaning is being read. Absent: none. */
  waiting?: number
  /** Other words for what was asked, as the index has them, that were looked for too. */
  others: string[]
  /** Words of the query that were not looked for, as `the`, because others of it say more. */
  ignored: string[]
}

/** `GET /api/memory/status`. */
export type MemoryStatus = {
  /** `loading`: what is on disk is read into memory, and searches are served from disk meanwhile. */
  state: 'loading' | 'indexing' | 'ready'
  /** How much of what is loaded, or read again, is done: 0..1. Absent while there is nothing to load or read. */
  share?: number
  sources: number
  chunks: number
  /** How many of them are found by their meaning too once the model in use has read them. The rest is found by words. */
  embeddable: number
  /** How many of those have a vector of the model in use. */
  embedded: number
  /** How many more, all of conversations, are read by meaning when somebody searches. Older servers leave it out. */
  waiting?: number
  model: string | undefined
  /** Why search goes by keywords alone, or what could not be indexed; in words for a person. */
  problem: string | undefined
  /** Files that are not indexed, or not whole, and why. */
  problems: { name: string; problem: string }[]
  /** Since the server started, when and why all was last made again from its sources. Unix ms. */
  remade?: { at: number; why: string }
}

export type WorkspaceFile = { path: string; bytes: number; changedAt: number }
export type WorkspaceText = {
  path: string
  text: string
  /** SHA-256 of what is on disk, in hex. */
  checksum: string
  /** Unix ms. */
  changedAt: number
  /** Set where `text` is not the whole file as it is: too large, or not clean UTF-8. */
  problem?: string
}
