import type { Attachment, ErrorBody } from 'protocol'
import { ApiError, authorization, call } from './http.ts'

/**
 * Uploads a file for a message.
 * @param base64 the content
 * @param onProgress called with the share that was sent, 0 to 1
 * @throws ApiError
 */
export function upload(name: string, base64: string, onProgress: (share: number) => void, signal: AbortSignal) {
  // `fetch` does not report upload progress.
  return new Promise<Attachment>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/api/attachments')
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value)
    request.setRequestHeader('Content-Type', 'application/json')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new ApiError('unreachable', 'JARVIS could not be reached. Attach it again.'))
    request.onabort = () => reject(new ApiError('aborted', 'It was removed.'))
    request.onload = () => {
      try {
        const body = JSON.parse(request.responseText) as Attachment & Partial<ErrorBody>
        if (request.status === 201) resolve(body)
        else reject(new ApiError(body.error?.code ?? 'refused', body.error?.message ?? 'The server refused it.'))
      } catch {
        reject(new ApiError('refused', `The server refused it (${request.status}).`))
      }
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(JSON.stringify({ name, data: base64 }))
  })
}

/** Removes an uploaded file that was not sent. */
export const discard = (id: string) => call<void>('DELETE', `/api/attachments/${encodeURIComponent(id)}`)

/** The text of an attached file. @throws ApiError */
export async function attachedText(sessionId: string, id: string): Promise<string> {
  const response = await fetch(`/api/sessions/${encodeURIComponent(sessionId)}/attachments/${encodeURIComponent(id)}`, {
    headers: authorization(),
  }).catch(() => undefined)
  if (response === undefined) throw new ApiError('unreachable', 'JARVIS could not be reached.')
  if (!response.ok) throw new ApiError('refused', `The server refused it (${response.status}).`)
  return response.text()
}
