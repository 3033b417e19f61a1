import type { Database } from '../../src/store/sqlite/database.ts'
import type { Reach } from './steps.ts'

const changing = /^\s*(INSERT|UPDATE|DELETE)\s+(?:OR \w+\s+)?(?:INTO\s+|FROM\s+)?(\w+)(?:\s+SET\s+(\w+))?/i

/** `insert entries tool_result`, `update confirmations decision`: what a statement does, for the steps to name. */
function labelOf(source: string): ((params: unknown[]) => string) | undefined {
  const [, verb = '', table = '', column] = changing.exec(source) ?? []
  if (verb === '') return undefined
  const head = [verb.toLowerCase(), table, column].filter((part) => part !== undefined).join(' ')
  if (table !== 'entries' && table !== 'journal') return () => head
  return (params) => {
    const kind = params.find((param) => typeof param === 'string' && /^[a-z_]+$/.test(param))
    return `${head} ${String(kind)}`
  }
}

/** The same database, which tells of every change before it, inside its transaction and after the commit. */
export function observed(database: Database, reach: Reach): Database {
  const { sql } = database
  let written: string[] = []
  const prepare = sql.prepare.bind(sql)
  sql.prepare = ((source: string) => {
    const statement = prepare(source)
    const label = labelOf(source)
    if (label === undefined) return statement
    const watch =
      <Result>(run: (...params: unknown[]) => Result) =>
      (...params: unknown[]) => {
        const what = label(params)
        reach(`${what} begun`)
        const result = run(...params)
        reach(`${what} written`)
        if (sql.inTransaction) written.push(what)
        else reach(`${what} committed`)
        return result
      }
    return Object.assign(statement, {
      run: watch(statement.run.bind(statement)),
      get: watch(statement.get.bind(statement)),
    })
  }) as typeof sql.prepare

  const watched =
    (transact: Database['atomically']): Database['atomically'] =>
    (work) => {
      if (sql.inTransaction) return transact(work)
      return transact(() => {
        written = []
        // The first to be told, so before anybody outside.
        database.afterCommit(() => {
          for (const what of written) reach(`${what} committed`)
        })
        return work()
      })
    }
  return { ...database, atomically: watched(database.atomically), durably: watched(database.durably) }
}
