import { download } from '../../api/download.ts'
import { file } from '../../api/http.ts'

/** Downloads a session as a file with its title as the name. @throws ApiError */
export function exportSession({ id, title }: { id: string; title: string }, format: 'markdown' | 'jsonl') {
  const name =
    title
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
      .trim()
      .slice(0, 80) || 'session'
  return download(
    file('GET /api/sessions/:id/export', { params: { id }, query: { format } }),
    `${name}.${format === 'markdown' ? 'md' : 'jsonl'}`,
  )
}
