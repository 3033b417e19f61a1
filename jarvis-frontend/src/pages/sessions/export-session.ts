import { download } from '../../api/download.ts'
import { exportPath } from '../../api/session-acts.ts'

/** Downloads a session as a file with its title as the name. @throws ApiError */
export function exportSession({ id, title }: { id: string; title: string }, format: 'markdown' | 'jsonl') {
  const name =
    title
      .replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
      .trim()
      .slice(0, 80) || 'session'
  return download(exportPath(id, format), `${name}.${format === 'markdown' ? 'md' : 'jsonl'}`)
}
