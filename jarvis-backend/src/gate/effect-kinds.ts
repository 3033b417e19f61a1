/** The texts and marks of one kind of effect, for the gate, the roles and the documentation. */
export type EffectKindFacts = {
  /** Completes the sentence "the call …", for the table in docs/policy.md. */
  does: string
  /** Completes the sentence of a role, "May … ct/130". */
  may: string
  /** True if the change is hard or impossible to take back. In the proof mode `heavy` the card of such a call must be signed. */
  isHeavy?: true
  /** True if the tool `undo` can take back a change of this kind. */
  isUndone?: true
}

/** The kinds of effects, in the order in which messages list them. */
export const effectKinds = {
  read: { does: 'changes nothing', may: 'look at' },
  power: { does: 'starts, stops or restarts', may: 'start, stop or restart', isUndone: true },
  config: { does: 'changes settings', may: 'change the settings of', isUndone: true },
  data: { does: 'changes contents', may: 'change the contents of', isUndone: true },
  create: { does: 'makes a thing', may: 'make things on', isUndone: true },
  destroy: { does: 'removes a thing', may: 'remove things from', isHeavy: true, isUndone: true },
  execute: {
    does: 'runs a text that a machine reads, such as an SSH command',
    may: 'run commands on',
    isUndone: true,
  },
  network: { does: 'reaches out of the house', may: 'reach out from', isUndone: true },
  remote: { does: 'calls an attached server’s tool, which may do anything', may: 'use attached tools on' },
  unknown: { does: 'nobody can say', may: 'do what nobody can say on', isHeavy: true },
} as const satisfies Record<string, EffectKindFacts>
export type EffectKind = keyof typeof effectKinds

const facts: Readonly<Record<string, EffectKindFacts>> = effectKinds

export const effectKindNames = (): EffectKind[] => Object.keys(effectKinds) as EffectKind[]

/** @returns the facts of a kind; undefined if there is no such kind */
export const effectKindFacts = (name: string): EffectKindFacts | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined

/** Kinds that earlier versions knew and no tool ever had. A policy.yaml that names one stays valid, and no effect matches it. */
const formerKinds = ['credential', 'notify'] as const
export type FormerKind = (typeof formerKinds)[number]

export const isFormerKind = (name: string): name is FormerKind => formerKinds.some((former) => former === name)
