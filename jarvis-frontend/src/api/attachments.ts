import { ApiError, type Asked } from 'protocol/client'
import { call, clientOver, file } from './http.ts'

/**
 * Uploads a file for a message. `data`: the content, base64.
 * @param onProgress called with the share that was sent, 0 to 1
 * @throws ApiError
 */
export const upload = (
  body: { name: string; data: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
) => clientOver((address, asked) => sent(address, asked, onProgress)).call('POST /api/attachments', { body, signal })

/** Sends a request with `XMLHttpRequest`, because `fetch` does not report upload progress. */
const sent = (address: string, { method, headers, body, signal }: Asked, onProgress: (share: number) => void) =>
  new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new ApiError('unreachable', 'JARVIS could not be reached. Attach it again.'))
    request.onabort = () => reject(new ApiError('aborted', 'It was removed.'))
    request.onload = () => {
      const retryAfter = request.getResponseHeader('Retry-After')
      const headers = retryAfter === null ? undefined : { 'Retry-After': retryAfter }
      resolve(new Response(request.responseText, { status: request.status, headers }))
    }
    signal?.addEventListener('abort', () => request.abort())
    request.send(body)
  })

/** Removes an uploaded file that was not sent. */
export const discard = (id: string) => call('DELETE /api/attachments/:id', { params: { id } })

/** The text of an attached file. @throws ApiError */
export const attachedText = async (sessionId: string, id: string): Promise<string> =>
  (
    await file('GET /api/sessions/:id/attachments/:attachmentId', { params: { id: sessionId, attachmentId: id } })
  ).text()
