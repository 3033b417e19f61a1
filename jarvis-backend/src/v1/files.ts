import type { IncomingMessage, ServerResponse } from 'node:http'
import { containerFile, pathOfFile } from 'openai-door/containers'
import { sendJson } from 'openai-door/send'
import { JarvisError, type SessionFilesReply } from 'protocol'
import { isOf, type ProgramToken } from './token.ts'

/** The files of sessions' own folders. */
export interface ProgramFilesPort {
  /** @throws JarvisError `unknown_session` */
  list(sessionId: string): Promise<SessionFilesReply>
  /** Writes a file to a response. @throws JarvisError `unknown_session`, `not_found`, `forbidden`, `message_too_large`, `invalid_request` */
  send(file: { sessionId: string; path: string }, request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** The files of a token's sessions, in the form of OpenAI's container files. */
export class ProgramFilesDoor {
  readonly #files: ProgramFilesPort

  constructor(files: ProgramFilesPort) {
    this.#files = files
  }

  /** `GET /v1/containers/:id/files`. @throws JarvisError `unknown_session` for a session of another token */
  async list(sessionId: string, response: ServerResponse, token: ProgramToken): Promise<void> {
    requireOwn(token, sessionId)
    const { items, isCut = false } = await this.#files.list(sessionId)
    const data = items.flatMap(({ path, bytes, changedAt }) =>
      bytes === undefined || changedAt === undefined ? [] : containerFile(sessionId, { path, bytes, changedAt }),
    )
    sendJson(response, 200, {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: isCut,
    })
  }

  /** `GET /v1/containers/:id/files/:fileId/content`. @throws JarvisError as the port; ApiError 404 */
  async send(
    { sessionId, fileId }: { sessionId: string; fileId: string },
    request: IncomingMessage,
    { response, token }: { response: ServerResponse; token: ProgramToken },
  ): Promise<void> {
    requireOwn(token, sessionId)
    await this.#files.send({ sessionId, path: pathOfFile(fileId) }, request, response)
  }
}

function requireOwn(token: ProgramToken, sessionId: string): void {
  if (!isOf(token, sessionId)) throw new JarvisError('unknown_session', 'This token has no such session.')
}
