import type { PveReader } from 'homelab-ports/ports'
import { z } from 'zod'
import { rowsOf, words } from '../pve/answers.ts'

const LogRow = z.object({ t: words })
const page = 2_000
const mostPages = 5

/**
 * Reads a task's log, oldest line first. `isWhole`: false if the log has more than 10,000 lines; the result is then the first 10,000.
 * @param task its UPID, and the node that the UPID names @throws ApiError; the signal's reason
 */
export async function readTaskLog(
  api: PveReader,
  { node, upid }: { node: string; upid: string },
  signal: AbortSignal,
): Promise<{ lines: string[]; isWhole: boolean }> {
  const lines: string[] = []
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { start: String(pages * page), limit: String(page) }
    const { rows } = rowsOf(LogRow, await api.get(['nodes', node, 'tasks', upid, 'log'], query, { signal }))
    lines.push(...rows.map(({ t = '' }) => t))
    if (rows.length < page) return { lines: lines.filter((line) => line !== 'no content'), isWhole: true }
  }
  return { lines, isWhole: false }
}
