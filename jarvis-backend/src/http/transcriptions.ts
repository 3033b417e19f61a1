import { JarvisError, TranscriptionBody, TranscriptionReply } from 'protocol'
import { type Route, route } from './route.ts'

/** Converts speech to text; undefined if no server is set. @throws Error with a sentence */
export type Transcribe = (audio: Buffer, name: string, signal: AbortSignal) => Promise<string>

/** `/api/transcriptions`: converts a person's recording to text for the composer. The person then decides to send it or not. */
export const transcriptionRoutes = (transcribe: Transcribe | undefined): Route[] => [
  route('/transcriptions').post(
    'Turns a recording of up to two minutes into text. Nothing is sent: the text is for the composer.',
    { role: 'member', limit: '5mb', body: TranscriptionBody, reply: TranscriptionReply },
    async ({ body: { name, data }, response }) => {
      if (transcribe === undefined)
        throw new JarvisError(
          'conflict',
          'Nothing is set up that turns speech into text. Set JARVIS_TRANSCRIBE_URL, for example https://whisper.lan/v1.',
        )
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      try {
        return { text: await transcribe(Buffer.from(data, 'base64'), name, gone.signal) }
      } catch (error) {
        if (error instanceof JarvisError) throw error
        throw new JarvisError(
          'conflict',
          `The recording could not be turned into text: ${error instanceof Error ? error.message : 'the service failed'}.`,
        )
      }
    },
  ),
]
