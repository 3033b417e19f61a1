import { ApiError } from 'homelab-ports/failure'
import type { PveReader } from 'homelab-ports/ports'

const answerMs = 20_000
/** Number of newest lines that a search without `sinceMs` reads. */
const searched = 2_000
/** True for a cursor line. The journal reader prints its position before and after the lines. */
const isCursor = (line: string) => /^s=[0-9a-f]+;i=[0-9a-f]+;/.test(line)

/**
 * Reads a node's journal, oldest line first, with times in the node's own zone.
 * @param of `sinceMs`: Unix ms; absent: the newest lines. `contains`: only lines with this text, ignoring case. @returns the newest `most` of the
 * lines, and how many there were @throws ApiError; the signal's reason
 */
export async function readNodeJournal(
  api: PveReader,
  of: { node: string; sinceMs?: number | undefined; contains?: string | undefined; most: number },
  signal: AbortSignal,
): Promise<{ lines: string[]; found: number }> {
  const { node, sinceMs, contains, most } = of
  const newest = String(contains === undefined ? most : searched)
  const query: Record<string, string> =
    sinceMs === undefined ? { lastentries: newest } : { since: String(Math.floor(sinceMs / 1000)) }
  const data = await api.get(['nodes', node, 'journal'], query, { signal, answerMs })
  if (!Array.isArray(data)) throw new ApiError('cluster_refused', `What ${node} answered makes no sense.`)
  const wanted = contains?.toLowerCase()
  const lines = data
    .map(String)
    .filter((line) => !isCursor(line) && (wanted === undefined || line.toLowerCase().includes(wanted)))
  return { lines: lines.slice(-most), found: lines.length }
}
