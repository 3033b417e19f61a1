import type { CommandData, FilesData, HitsData, PageData, PictureData } from 'protocol'
import type { Call } from '../runs.ts'

type Views = { command: CommandData; page: PageData; hits: HitsData; picture: PictureData; files: FilesData }

const is = {
  string: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  boolean: (value: unknown) => typeof value === 'boolean',
}
type Check = (value: unknown) => boolean
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const objectOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([key, check]) => check((value as Record<string, unknown>)[key]))
const strings = listOf(is.string)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

/** Checks for the data of each view. Entries from an earlier release may have no such data. */
const forms: { [V in keyof Views]: Check } = {
  command: objectOf({
    command: is.string,
    status: is.string,
    text: is.string,
    folder: is.string,
    level: is.string,
    isBackground: is.boolean,
    egress: strings,
    startedAt: is.number,
    endedAt: optional(is.number),
    exitCode: optional(is.number),
    changes: optional(is.number),
    mayApply: optional(is.boolean),
    words: optional(is.string),
    files: optional(is.string),
    asked: optional(strings),
  }),
  page: objectOf({
    url: is.string,
    asked: is.string,
    status: is.number,
    title: is.string,
    text: is.string,
    from: is.number,
    chars: is.number,
    wireBytes: is.number,
    isKept: is.boolean,
    hidden: objectOf({ count: is.number, reasons: strings }),
  }),
  hits: objectOf({
    query: is.string,
    hits: listOf(objectOf({ title: is.string, url: is.string, snippet: is.string })),
    silent: strings,
  }),
  picture: objectOf({
    url: is.string,
    title: is.string,
    tab: is.number,
    width: is.number,
    height: is.number,
    elements: listOf(objectOf({ ref: is.string, role: is.string, name: is.string, x: is.number, y: is.number })),
  }),
  files: objectOf({
    diff: listOf(
      objectOf({
        path: is.string,
        change: is.string,
        added: is.number,
        removed: is.number,
        left: is.number,
        lines: strings,
      }),
    ),
  }),
}

/** Returns the data of a view; undefined if the call's result has no data of that form. */
export function dataOf<V extends keyof Views>(view: V, { result }: Call): Views[V] | undefined {
  const data = result?.data
  return forms[view](data) ? (data as Views[V]) : undefined
}
