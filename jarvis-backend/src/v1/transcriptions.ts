import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from 'openai-door/errors'
import { formFor, mostFormBytes, readTranscriptionForm, requireForm } from 'openai-door/transcriptions'
import { bytesOf } from './body.ts'
import { sendRecording, type TranscriptionServer } from './transcribe.ts'

/**
 * @param server undefined: no server is set @param requireBudget throws if the day's limit is used up @param redact applied to the server's error
 * messages @returns a handler of `POST /v1/audio/transcriptions`, which sends a recording to the server and returns the server's answer
 */
export function createTranscriptions(
  server: TranscriptionServer | undefined,
  requireBudget: () => void,
  redact: (text: string) => string,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (server === undefined)
      throw new ApiError(
        'not_configured',
        'JARVIS has nothing that turns speech into text. Set JARVIS_TRANSCRIPTIONS, for example openai/whisper-1.',
        { status: 501, isFinal: true },
      )
    const form = await formOf(request)
    requireBudget()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let answer: Awaited<ReturnType<typeof sendRecording>>
    try {
      answer = await sendRecording(server, formFor(form, server.model), gone.signal)
    } catch (cause) {
      if (gone.signal.aborted) return
      const why = cause instanceof Error ? cause.message : `${server.model} did not answer`
      throw new ApiError('transcription_failed', `${why}.`, { status: 502, isFinal: true, cause })
    }
    const { status, type, body } = answer
    if (status < 200 || status > 299) {
      const said = redact(body.toString().slice(0, 300))
      const isOurs = status === 400 || status === 413 || status === 429
      throw new ApiError('transcription_failed', `${server.model} answered ${status}. ${said}`, {
        status: isOurs ? status : 502,
        isFinal: true,
      })
    }
    response.writeHead(200, { 'Content-Type': type ?? 'application/json; charset=utf-8' })
    response.end(body)
  }
}

/** @throws ApiError 400, 413 */
async function formOf(request: IncomingMessage): Promise<FormData> {
  const type = request.headers['content-type'] ?? ''
  requireForm(type)
  return readTranscriptionForm(await bytesOf(request, mostFormBytes), type)
}
