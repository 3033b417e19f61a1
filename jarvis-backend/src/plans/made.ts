import { hashOf } from 'node-kit/canonical'
import { Mistake, type Redactor, type World } from '../gate/index.ts'
import type { Leads } from '../tools/tool.ts'
import type { Draft } from './draft.ts'
import type { Request, Script } from './planned.ts'

/** A fact that the plan’s approval depends on, as text. */
export type Binding = { what: string; value: string }
export type Made = { leads: Leads; binds: Binding[] }

/**
 * Makes the plan from a finished draft: its facts for the card, its calls, and the hash to which an approval applies.
 * @param given the values of the inputs, by name
 * @throws Mistake if a call contains a secret
 */
export function madeOf(
  parts: { world: () => World; redactor: Redactor; policyHash(): string | undefined },
  request: Request,
  { given, draft }: { given: ReadonlyMap<string, unknown>; draft: Draft },
): Made {
  const { redactor } = parts
  const { procedure, runbook } = request
  const script: Script = { steps: draft.script }
  if (hashOf(redactor.value(script)) !== hashOf(script))
    throw new Mistake('A call of the plan holds a secret, and JARVIS keeps none.')
  const world = parts.world()
  const profile = world.policy.profile
  const policy = parts.policyHash() ?? 'shipped'
  const values = Object.fromEntries(given)
  const hash = hashOf({
    version: 1,
    source: request.hash,
    inputs: values,
    script,
    bound: draft.bound,
    profile,
    policy,
  })
  const { title } = procedure
  const { said, writtenBy, goal, criteria, undoes } = request
  const facts = {
    hash,
    title,
    runbook,
    ...(goal !== undefined && { goal: redactor.text(goal) }),
    ...(criteria !== undefined && { criteria: redactor.text(criteria) }),
    undoes,
    inputs: redactor.value(values),
    steps: draft.steps,
  }
  const targets = [...new Set(draft.targets)]
  return {
    leads: {
      facts,
      calls: draft.calls,
      read: draft.read,
      maxAgeMs: procedure.maxAgeMs,
      script,
      ...(said !== undefined && { said, text: { hash: request.hash, writtenBy } }),
    },
    binds: [
      { what: 'Runbook', value: `${runbook ?? title} ${short(request.hash)}` },
      {
        what: 'Inputs',
        value:
          Object.entries(values)
            .map(([name, value]) => `${name} = ${value ?? 'none'}`)
            .join(', ') || 'none',
      },
      { what: 'Calls', value: `${draft.script.length}, all values filled in` },
      { what: 'Facts', value: targets.length === 0 ? 'of no target' : `state of ${targets.join(', ')}` },
      { what: 'Policy', value: `${profile}, policy.yaml ${policy === 'shipped' ? 'not there' : short(policy)}` },
    ],
  }
}

const short = (hash: string) => hash.slice(0, 8).replace(/^(.{4})/, '$1 ')
