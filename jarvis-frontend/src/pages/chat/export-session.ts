import { file } from '../../api/http.ts'

/** Downloads a session as Markdown. @throws ApiError */
export async function exportSession(sessionId: string, title: string): Promise<void> {
  const { download } = await import('../../api/download.ts')
  const name = title.replaceAll(/[^\p{L}\p{N} ._-]/gu, '').trim() || 'session'
  await download(file('GET /api/sessions/:id/export', { params: { id: sessionId } }), `${name}.md`)
}
