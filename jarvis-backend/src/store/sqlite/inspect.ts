import Sqlite from 'better-sqlite3'
import { checkPages } from './database.ts'
import { migrations } from './migrations/index.ts'

/**
 * Checks every page of a database that other processes may be using; changes nothing. @param upToBytes larger databases are not read. @throws
 * DatabaseRefused that names the damage; or SQLite's error
 */
export function inspectDatabase(
  path: string,
  upToBytes: number,
): { bytes: number; isRead: boolean; isCurrent: boolean } {
  const sql = new Sqlite(path, { readonly: true })
  try {
    const number = (pragma: string) => Number(sql.pragma(pragma, { simple: true }))
    const bytes = number('page_count') * number('page_size')
    const isRead = bytes <= upToBytes
    if (isRead) checkPages(sql, path)
    return { bytes, isRead, isCurrent: number('user_version') === migrations.length }
  } finally {
    sql.close()
  }
}
