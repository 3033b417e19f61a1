import { ApiError, authorization } from './http.ts'

const shown = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

function unreached(): never {
  throw new ApiError('unreachable', 'JARVIS could not be reached.')
}

/**
 * Loads a picture of a tool, or one that a person attached, and returns it as a `data:` URL, because an `img` element sends no token. @throws
 * ApiError
 */
export async function imageAddress(sessionId: string, id: string, isAttached = false): Promise<string> {
  const place = isAttached ? 'attachments' : 'images'
  const response = await fetch(`/api/sessions/${encodeURIComponent(sessionId)}/${place}/${encodeURIComponent(id)}`, {
    headers: authorization(),
  }).catch(unreached)
  if (!response.ok) throw new ApiError('refused', `The server refused it (${response.status}).`)
  const blob = await response.blob().catch(unreached)
  if (!shown.includes(blob.type)) throw new ApiError('refused', 'That is no picture.')
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new ApiError('refused', 'It could not be read.'))
    reader.readAsDataURL(blob)
  })
}
