import { isDeepStrictEqual } from 'node:util'
import { JarvisError, type WorkbenchBody, type WorkbenchSection } from 'protocol'
import type { ParsedPolicy } from './parse.ts'
import { type WorkbenchForm, workbenchOf } from './workbench.ts'
import { sectionOf, withWorkbench } from './write-workbench.ts'

/** Access to policy.yaml as a text. */
export type PolicyText = {
  /**
   * Reads the file; never throws. `hash`: SHA-256 of the bytes, hex. Text and hash are empty if there is no file. `problem`: why the file cannot be
   * changed.
   */
  read(): { text: string; hash: string } | { problem: string }
  /** Replaces the file atomically: after a crash the disk has either the old or the new file. @throws JarvisError `conflict` */
  write(text: string): void
  parse(text: string): ParsedPolicy
}

/** An edit of policy.yaml. `before` and `after`: the whole text of the file. `section`: its section `workbench` before the edit. */
export type PolicyEdit = { before: string; after: string; section: WorkbenchSection }

/** Returns the section of the present file, and the file's hash; or why the file cannot be changed. */
export function sectionNow(file: PolicyText): { section: WorkbenchSection; hash: string; problem?: string } {
  const read = file.read()
  if ('problem' in read) return { section: sectionOf(), hash: '', problem: read.problem }
  const parsed = file.parse(read.text)
  if (parsed.ok) return { section: sectionOf(parsed.file.workbench), hash: read.hash }
  const [first] = parsed.problems
  const where = first === undefined ? '' : `:${first.line}:${first.column}  ${first.message}`
  return { section: sectionOf(), hash: read.hash, problem: `policy.yaml${where}` }
}

/**
 * Returns the text of policy.yaml with another section `workbench`. The rest of the file keeps its meaning.
 * @param refusal returns why a folder may not become a root; undefined if it may
 * @throws JarvisError `conflict` if the file is broken or its hash is not `hash`, `invalid_request` if the section is wrong
 */
export function editedPolicy(
  file: PolicyText,
  { section, hash }: WorkbenchBody,
  refusal: (path: string) => string | undefined,
): PolicyEdit {
  const read = file.read()
  const now = sectionNow(file)
  if ('problem' in read || now.problem !== undefined)
    throw new JarvisError('conflict', `${now.problem} Mend the file by hand first; nothing was changed.`)
  if (read.hash !== hash)
    throw new JarvisError('conflict', 'policy.yaml was changed meanwhile. Look at it again; nothing was changed.')
  // The section is first parsed alone. JSON is valid YAML, so it can be parsed like the file.
  const alone = file.parse(JSON.stringify({ workbench: section }))
  if (!alone.ok)
    throw new JarvisError('invalid_request', [...new Set(alone.problems.map(({ message }) => message))].join(' '))
  const before = file.parse(read.text)
  const after = withWorkbench(read.text, section)
  const parsed = file.parse(after)
  const refused = newFolders(now.section, section).flatMap(({ name, path }) => {
    const why = refusal(path)
    return why === undefined ? [] : [`The root ${name}: ${why}`]
  })
  if (refused.length > 0) throw new JarvisError('invalid_request', `${refused.join(' ')} Nothing was changed.`)
  const isWhole =
    before.ok &&
    parsed.ok &&
    isDeepStrictEqual({ ...before.file, workbench: undefined }, { ...parsed.file, workbench: undefined }) &&
    isDeepStrictEqual(meaning(parsed.file.workbench), meaning(section))
  if (!isWhole)
    throw new JarvisError(
      'conflict',
      'policy.yaml is written in a form that cannot be changed here without touching its other lines: give each key a line, or write these lines by hand. Nothing was changed.',
    )
  return { before: read.text, after: isDeepStrictEqual(now.section, section) ? read.text : after, section: now.section }
}

/** Returns the roots with new folders. The folder of an existing root may be gone, which must not prevent other changes. */
const newFolders = ({ roots: before = [] }: WorkbenchSection, { roots = [] }: WorkbenchSection) =>
  roots.filter(({ path }) => !before.some((root) => root.path === path))

const meaning = (form: WorkbenchForm | undefined) => {
  const { roots, ...rest } = workbenchOf(form)
  return { ...rest, roots: roots.toSorted((one, other) => (one.name < other.name ? -1 : 1)) }
}
