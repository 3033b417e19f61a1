import type { Skill, SkillFile } from 'protocol'
import { lineTokens, tokensOf } from './catalogue.ts'
import type { Seen } from './folders.ts'
import type { ApprovedFile, SkillUse, StoredApproval } from './store.ts'
import type { Tree } from './tree.ts'

/** The end of a sentence that begins with a skill’s name and says why models may not use it. */
export const whyNot = {
  changed: 'is off: it changed since it was approved.',
  off: 'is turned off.',
  new: 'is not approved yet.',
  faulty: 'cannot be used as it is.',
} as const

export const stateOf = ({ tree, faults }: Seen, approval: StoredApproval | undefined): Skill['state'] => {
  if (faults.length > 0 || tree.hash === undefined) return 'faulty'
  if (approval === undefined) return 'new'
  if (approval.hash !== tree.hash) return 'changed'
  return approval.off === undefined ? 'approved' : 'off'
}

/** Converts a skill to the form that clients get. @param isMissing true if the catalogue has no room for the skill */
export function shownOf(
  one: Seen,
  approval: StoredApproval | undefined,
  {
    isMissing,
    shippedText,
    lastUse,
  }: { isMissing: boolean; shippedText: string | undefined; lastUse: SkillUse | undefined },
): Skill {
  const { name, tree, parsed, faults, hints } = one
  const { front, body } = parsed
  const state = stateOf(one, approval)
  const { license, compatibility, description, metadata, wants, others } = front
  return {
    name,
    state,
    description,
    metadata,
    wants,
    others,
    faults,
    isShipped: tree.files.length === 1 && tree.files[0]?.text !== undefined && tree.files[0].text === shippedText,
    license,
    compatibility,
    hints,
    hash: tree.hash ?? null,
    fileCount: tree.files.length,
    bytes: tree.bytes,
    tokens: { line: lineTokens({ name, description }), body: tokensOf(body) },
    isInCatalogue: state === 'approved' && !isMissing,
    ...(approval && { approved: { hash: approval.hash, at: approval.at, by: approval.by } }),
    ...(approval?.off && { off: approval.off }),
    lastUse,
  }
}

/** Compares the files of a folder with the files of the approved tree. */
export function filesOf(tree: Tree, before: readonly ApprovedFile[]): SkillFile[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = tree.files.map((file): SkillFile => {
    const known = old.get(file.path)
    const isSame = known !== undefined && known.hash === file.hash && known.kind === file.kind
    const change = known === undefined ? 'new' : isSame ? 'same' : 'changed'
    return { ...file, change, ...(change === 'changed' && known?.text !== undefined && { before: known.text }) }
  })
  const there = new Set(tree.files.map(({ path }) => path))
  const gone = before.filter(({ path }) => !there.has(path))
  return [...now, ...gone.map(({ text, ...file }): SkillFile => ({ ...file, change: 'gone', before: text }))]
}
