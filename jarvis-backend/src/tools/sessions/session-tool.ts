import type { Principal } from 'protocol'
import { recalling } from '../memory/memory-tool.ts'
import { toolOver } from '../tool.ts'

/** A part of a stored result. `next`: the offset of the next part, if there is one. */
export type ResultPage = { toolName: string; text: string; offset: number; total: number; next?: number }

/** A conversation in a list. Times are Unix ms. `preview`: the first words of its newest answer, or the place where the searched words stand. */
export type SessionLine = {
  id: string
  title: string
  agent: string
  updatedAt: number
  messages: number
  preview: string
}

/** A part of a conversation, oldest message first. `next`: the `seq` from which the next part begins. */
export type SessionPart = {
  title: string
  agent: string
  messages: readonly { seq: number; at: number; by: string; text: string }[]
  next?: number
}

export type SessionPorts = {
  /** A page of a result that the session's model received. Undefined if there is no such result. */
  readResult(sessionId: string, toolUseId: string, offset: number): ResultPage | undefined
  /** Lists conversations that the asker's person may read and the asker's agent remembers, newest first. */
  listSessions(query: { words?: string; limit: number }, asker: Principal | undefined): readonly SessionLine[]
  /** Undefined if there is no such conversation, the asker's person may not read it, or the asker's agent does not remember it. */
  readSession(id: string, from: number, asker: Principal | undefined): SessionPart | undefined
}

export const sessionTool = toolOver<SessionPorts>()

/** Members of a tool that reads conversations. Their words count as recalled ones do, which the ids in its answers lead to. */
export const readsSessions = { ...recalling, shows: 'conversation', timeoutMs: 10_000 } as const

export const dayAndTime = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
