import { ApiError } from 'protocol/client'
import { file } from './http.ts'

const shown = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/**
 * Loads a picture of a tool, or one that a person attached, and returns it as a `data:` URL, because an `img` element sends no token. @throws
 * ApiError
 */
export async function imageAddress(sessionId: string, imageId: string, isAttached = false): Promise<string> {
  const blob = await (isAttached
    ? file('GET /api/sessions/:id/attachments/:attachmentId', { params: { id: sessionId, attachmentId: imageId } })
    : file('GET /api/sessions/:id/images/:imageId', { params: { id: sessionId, imageId } }))
  return pictureAddress(blob)
}

/** Returns a picture as a `data:` URL. @throws ApiError if the blob's type is not in `shown`, or the blob cannot be read */
export function pictureAddress(blob: Blob): Promise<string> {
  if (!shown.includes(blob.type)) throw new ApiError('refused', 'That is no picture.')
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new ApiError('refused', 'It could not be read.'))
    reader.readAsDataURL(blob)
  })
}
