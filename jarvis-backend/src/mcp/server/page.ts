import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'

const pageSize = 100

/**
 * Returns one page of a list. The cursor is the key of the last item, so the list may change between pages. @throws ProtocolError for an unknown
 * cursor
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
): { items: T[]; next: { nextCursor?: string } } {
  const last = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString()
  const from = last === undefined ? 0 : items.findIndex((item) => keyOf(item) === last) + 1
  if (from === 0 && last !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This cursor is not known. Begin the list again.')
  }
  const page = items.slice(from, from + pageSize)
  const end = page.at(-1)
  if (end === undefined || from + pageSize >= items.length) return { items: page, next: {} }
  return { items: page, next: { nextCursor: Buffer.from(keyOf(end)).toString('base64url') } }
}
