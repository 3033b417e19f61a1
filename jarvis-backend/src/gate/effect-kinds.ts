/** What the gate, the roles and the documentation know of one kind of effect. */
export type EffectKindFacts = {
  /** Completes "the call …", for the table in docs/policy.md. */
  does: string
  /** Completes the sentence of a role, "May … ct/130". */
  may: string
  /** The change is hard or impossible to take back, so the policy's proof mode `heavy` wants its card signed. */
  isHeavy?: true
  /** A change of this kind may be taken back by the tool `undo`. */
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

/** The names of all kinds. */
export const effectKindNames = (): EffectKind[] => Object.keys(effectKinds) as EffectKind[]

/** @returns undefined if there is no such kind */
export const effectKindFacts = (name: string): EffectKindFacts | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined

/** Kinds of earlier versions, which no tool ever had. A policy.yaml that names one stays valid, and no effect matches it. */
const formerKinds = ['credential', 'notify'] as const
export type FormerKind = (typeof formerKinds)[number]

export const isFormerKind = (name: string): name is FormerKind => formerKinds.some((former) => former === name)
