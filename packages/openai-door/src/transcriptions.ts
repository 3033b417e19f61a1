import { ApiError, badField } from './errors.ts'

/** Maximum size of a recording, the same as OpenAI's, and of the rest of the form, bytes. */
const mostBytes = 25 * 1024 * 1024
const formBytes = 64 * 1024
const types = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']
const formats = ['json', 'text', 'verbose_json', 'srt', 'vtt']
/** Fields that are passed on. `timestamp_granularities[]` may come several times. */
const passed = ['language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]']

/** Maximum size of the body of a request, bytes. */
export const mostFormBytes = mostBytes + formBytes

/** @param type the header `Content-Type` @throws ApiError 400 if the body is no form */
export function requireForm(type: string): void {
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new ApiError(
      'invalid_request',
      'Send the recording as multipart/form-data, with the fields file and model.',
      { status: 400 },
    )
}

/** Reads the body of `POST /v1/audio/transcriptions`. @param type the header `Content-Type` @throws ApiError 400, 413 */
export async function readTranscriptionForm(bytes: Buffer, type: string): Promise<FormData> {
  let form: FormData
  try {
    form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new ApiError('invalid_request', 'The form could not be read.', { status: 400, cause })
  }
  const file = form.get('file')
  if (!(file instanceof File)) throw badField('file', 'There is no file.')
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? ''
  if (!types.includes(ending)) throw badField('file', `The file's name ends with one of: ${types.join(', ')}.`)
  if (file.size === 0) throw badField('file', 'The file is empty.')
  if (file.size > mostBytes)
    throw new ApiError('message_too_large', `A recording has at most ${mostBytes / 1024 / 1024} MB.`, {
      status: 413,
      param: 'file',
    })
  if (typeof form.get('model') !== 'string') throw badField('model', 'There is no model. Send jarvis.')
  const format = form.get('response_format')
  if (format !== null && !formats.includes(String(format)))
    throw badField('response_format', `The response_format is one of: ${formats.join(', ')}.`)
  if (form.get('stream') === 'true') throw badField('stream', 'A transcript comes in one piece. Leave stream out.')
  return form
}

/** Returns the form for the server. The recording gets a new file name, without the person's folders; only known fields are included. */
export function formFor(form: FormData, model: string): FormData {
  const next = new FormData()
  const file = form.get('file') as File
  next.set('file', file, `recording.${/(?<![a-z0-9])[a-z0-9]+$/i.exec(file.name)?.[0].toLowerCase()}`)
  next.set('model', model)
  for (const name of passed)
    for (const value of form.getAll(name)) if (typeof value === 'string') next.append(name, value)
  return next
}
