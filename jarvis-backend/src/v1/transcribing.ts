import { JarvisError, mainAgentId } from 'protocol'
import type { TranscriptionServer } from './transcribe.ts'

export type Transcribe = (audio: Buffer, name: string, signal: AbortSignal) => Promise<string>

/**
 * Creates the function that converts speech to text for channels. Its code is loaded with the first recording. @returns undefined if no server is
 * set. The function throws JarvisError `too_many_requests` if a budget is used up, otherwise an Error with a sentence that contains no secrets.
 */
export function transcribing(parts: {
  server: TranscriptionServer | undefined
  redactor: { text(text: string): string; later(text: string): Promise<string> }
  /** Says why the main agent's budget is used up; undefined if it is not. */
  usedUp(use: { agent: string }): string | undefined
}): Transcribe | undefined {
  const { server, redactor } = parts
  if (server === undefined) return undefined
  return async (audio, name, signal) => {
    const why = parts.usedUp({ agent: mainAgentId })
    if (why !== undefined) throw new JarvisError('too_many_requests', why)
    const { transcribe } = await import('./transcribe.ts')
    try {
      return await redactor.later(await transcribe(server, { audio, name }, signal))
    } catch (error) {
      throw new Error(redactor.text(error instanceof Error ? error.message : 'the service failed'))
    }
  }
}
