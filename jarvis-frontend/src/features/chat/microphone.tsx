import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/http.ts'
import { Icon } from '../../ui/icon.tsx'

/** Maximum length of a recording, s; the same as for voice notes. */
const mostSeconds = 120
/** Types that browsers can record, each with the file extension that tells the server the type. */
const kinds = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg;codecs=opus', 'ogg'],
] as const

/** Records speech and puts its text into the composer. Nothing is sent until the person sends it. */
export function Microphone({ onSaid }: { onSaid: (words: string) => void }) {
  const [state, setState] = useState<'still' | 'records' | 'reads'>('still')
  const recorder = useRef<MediaRecorder | undefined>(undefined)
  const gone = useRef(new AbortController())
  useEffect(() => {
    const leave = gone.current
    return () => {
      leave.abort()
      end(recorder.current)
    }
  }, [])

  async function record() {
    const kind = kinds.find(([type]) => MediaRecorder.isTypeSupported(type))
    // Undefined unless the page is loaded over https or from localhost.
    const devices: MediaDevices | undefined = navigator.mediaDevices
    const stream = await devices?.getUserMedia({ audio: true }).catch(() => undefined)
    if (stream === undefined || kind === undefined || gone.current.signal.aborted) {
      for (const track of stream?.getTracks() ?? []) track.stop()
      onSaid('The microphone cannot be used. Browsers allow it over https, once you say so.')
      return
    }
    const [mimeType, ending] = kind
    const chunks: Blob[] = []
    const now = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 })
    const late = setTimeout(() => end(now), mostSeconds * 1_000)
    now.ondataavailable = ({ data }) => chunks.push(data)
    now.onstop = () => {
      clearTimeout(late)
      for (const track of stream.getTracks()) track.stop()
      if (!gone.current.signal.aborted) void read(new Blob(chunks, { type: mimeType }), `voice.${ending}`)
    }
    recorder.current = now
    now.start()
    setState('records')
    onSaid('Recording. Press again when you have said it.')
  }

  async function read(audio: Blob, name: string) {
    setState('reads')
    onSaid('Listening to what you said.')
    try {
      const { text } = await call('POST /api/transcriptions', { body: { name, data: await base64Of(audio) } })
      if (gone.current.signal.aborted) return
      onSaid(text.trim() === '' ? 'Nothing was heard.' : 'Read it, then send it.')
      put(text.trim())
    } catch (error) {
      if (!gone.current.signal.aborted) onSaid(error instanceof Error ? error.message : 'It was not understood.')
    }
    setState('still')
  }

  return (
    <button
      type="button"
      className="button small quiet"
      aria-label={state === 'records' ? 'Stop recording' : 'Dictate'}
      aria-pressed={state === 'records'}
      title="Say it: it becomes text here, and you send it"
      disabled={state === 'reads'}
      onClick={() => (state === 'records' ? end(recorder.current) : void record())}
    >
      {state === 'records' ? (
        <Icon name="stop" />
      ) : (
        <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 7.5V8a4.5 4.5 0 0 0 9 0v-.5M8 12.5V14" />
        </svg>
      )}
    </button>
  )
}

const end = (recorder: MediaRecorder | undefined) => {
  if (recorder?.state === 'recording') recorder.stop()
}

/** Inserts text at the end of the message as if the person typed it, so that the browser can undo it. */
function put(words: string) {
  const field = document.getElementById('composer')
  if (!(field instanceof HTMLTextAreaElement) || words === '') return
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  document.execCommand('insertText', false, /\S$/.test(field.value) ? ` ${words}` : words)
}

const base64Of = (audio: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(new Error('The recording could not be read.'))
    reader.readAsDataURL(audio)
  })
