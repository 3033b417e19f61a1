import type { Card } from 'protocol'
import { isFinal } from 'protocol/facts'
import { capital, plural } from '../../lib/format.ts'
import { visibleText } from '../../ui/visible.ts'

/** A piece of a card's sentence: text of JARVIS, an id, or a value that others wrote. */
export type Piece = string | { id: string } | { value: string }

/** The wording of the call that a card asks about, in every tense that the card needs. */
export type Act = {
  ask: Piece[]
  doing: Piece[]
  did: Piece[]
  didNot: Piece[]
  failed: Piece[]
  interrupted: Piece[]
  /** Text of the button, after `Approve: `. */
  approve: string
  /** The server's own sentence about the call, if the heading does not say the same. */
  what?: string
  /** The words on the target while the card waits: `restart` in `running → restart`. */
  ghost: string
  /** The text that a person must type before a call with `force: true` can be approved. */
  typed?: string
}

type Verb = { ask: string; doing: string; did: string; plain: string; after?: string }

const verbs: Record<string, Verb> = {
  start: { ask: 'Start', doing: 'Starting', did: 'Started', plain: 'start' },
  stop: { ask: 'Stop', doing: 'Stopping', did: 'Stopped', plain: 'stop' },
  restart: { ask: 'Restart', doing: 'Restarting', did: 'Restarted', plain: 'restart' },
  cut: { ask: 'Cut the power of', doing: 'Cutting the power of', did: 'Cut the power of', plain: 'cut the power of' },
  reset: {
    ask: 'Cut the power of',
    doing: 'Cutting the power of',
    did: 'Cut the power of',
    plain: 'cut the power of',
    after: ' and start it again',
  },
}

const nodeVerbs = {
  restart: { ask: 'Reboot', doing: 'Rebooting', did: 'Rebooted', plain: 'reboot' },
  stop: { ask: 'Shut down', doing: 'Shutting down', did: 'Shut down', plain: 'shut down' },
} as const

const named = (name: string): Piece => (/^[\w.-]+$/.test(name) ? name : { value: name })

type Asked = Pick<Card, 'toolName' | 'toolInput' | 'target' | 'effect'> &
  Partial<Pick<Card, 'sentence' | 'deed' | 'plan' | 'diff'>>

/** Composes a card's sentence from the effect, the arguments and the resolved target. No text of a model or client is used. */
export function actOf({ toolName, toolInput, target, effect, sentence, deed, plan, diff }: Asked): Act {
  if (plan !== undefined) return planAct(plan)
  if (effect?.kind === 'data' && effect.on === 'path' && diff !== undefined && diff.length > 0)
    return filesAct(diff, deed)
  const { kind, on, action = '', isForced = false } = effect ?? {}
  if (kind === 'power' && on === 'guest' && target.vmid !== undefined)
    return powerAct({ action, isForced }, target.vmid, target)
  const node = target.node ?? (typeof toolInput.node === 'string' ? toolInput.node : undefined)
  const storage: Piece[] = target.kind === 'storage' ? [' on storage ', named(target.name ?? target.id)] : []
  const place: Piece[] = [...storage, ...(node === undefined ? [] : [' on ', named(node)])]
  if (kind === 'power' && on === 'service') {
    const service = target.name ?? target.id
    const thing: Piece[] = ['service ', { value: service }, ...place]
    return plainAct(verbs[action], thing, { approve: `${action} ${visibleText(service)}`, ghost: action })
  }
  if (kind === 'power' && on === 'node' && action === 'start') {
    const name = node ?? target.id
    const wake = { ask: 'Wake', doing: 'Waking', did: 'Woke', plain: 'wake' }
    return plainAct(wake, ['node ', named(name)], { approve: `wake ${visibleText(name)}`, ghost: 'wake' })
  }
  if (kind === 'power' && on === 'node' && (action === 'restart' || action === 'stop')) {
    const name = node ?? target.id
    const verb = nodeVerbs[action]
    const approve = deed === undefined ? verb.plain : visibleText(deed)
    const act = plainAct(verb, ['node ', named(name)], { approve, ghost: action })
    return { ...act, ask: [`${verb.ask} node `, named(name), ', with all that runs on it?'] }
  }
  if (kind === 'execute' && on !== 'guest') {
    const approve = node === undefined ? 'run it' : `run on ${visibleText(node)}`
    return plainAct(undefined, ['a command', ...place], { approve, ghost: 'command' })
  }
  const what = sentence && { what: visibleText(sentence.replace(/\.$/, '')) }
  if (deed !== undefined) return { ...deedAct(visibleText(deed), target), ...what }
  const thing: Piece[] = [{ value: toolName }, ...place]
  return { ...plainAct(undefined, thing, { approve: `run ${visibleText(toolName)}`, ghost: 'change' }), ...what }
}

/** Counts the guests that the calls of a plan name. */
function guestsIn({ steps }: NonNullable<Card['plan']>): number {
  const named = steps
    .filter(({ tier, state }) => tier !== 'green' && state === 'waits')
    .flatMap(({ toolInput: { vmid, vmids } }) => [vmid, ...(Array.isArray(vmids) ? vmids : [])])
  return new Set(named.filter((id) => id !== undefined).map(String)).size
}

function planAct(plan: NonNullable<Card['plan']>): Act {
  const count = plural(plan.steps.length, 'step')
  const guests = guestsIn(plan)
  const what = `plan of ${count}`
  const { undoes } = plan
  return {
    ask: undoes
      ? [`Take ${count} of plan ${undoes.hash.slice(0, 4)} back?`]
      : [`Run this ${what}${guests === 0 ? '' : ` on ${plural(guests, 'guest')}`}?`],
    doing: [`Running a ${what}`],
    did: [`Ran a ${what}`],
    didNot: [`Did not run a ${what}`],
    failed: [`A ${what} stopped`],
    interrupted: [`A ${what} was interrupted`],
    // Steps that were already read, or that do not apply, are not run.
    approve: `run ${plural(plan.steps.filter(({ state }) => state === 'waits').length, 'step')}`,
    ghost: 'plan',
  }
}

/** Describes a plan for screen readers: `Plan, 5 steps, 3 ask, 1 cannot be undone.` */
export function planWords({ steps }: NonNullable<Card['plan']>): string {
  const asks = steps.filter(({ tier, state }) => tier === 'red' && state === 'waits').length
  const fixed = steps.filter(({ undo, state }) => isFinal(undo) && state === 'waits').length
  const parts = ['Plan', plural(steps.length, 'step'), `${asks} ${asks === 1 ? 'asks' : 'ask'}`]
  return `${[...parts, ...(fixed > 0 ? [`${fixed} cannot be undone`] : [])].join(', ')}.`
}

function powerAct(
  { action, isForced }: { action: string; isForced: boolean },
  vmid: number,
  target: Card['target'],
): Act {
  const verb = verbs[isForced ? (action === 'restart' ? 'reset' : 'cut') : action] ?? verbs.restart
  const type = target.type === 'ct' ? 'CT ' : 'VM '
  const thing: Piece[] = [type, { id: String(vmid) }]
  if (target.name !== undefined) thing.push(' ', { value: target.name })
  const place: Piece[] = target.node === undefined ? [] : [' on ', named(target.node)]
  const label = isForced ? (action === 'restart' ? 'cut power of and start' : 'cut power of') : action
  const act = plainAct(verb, [...thing, ...place], {
    approve: `${label} ${vmid}`,
    ghost: isForced ? 'power cut' : action,
  })
  return {
    ...act,
    didNot: [`Did not ${verb?.plain ?? action} `, ...thing],
    failed: [...thing, ` did not ${action}`],
    interrupted: [isForced ? 'Power cut of ' : `${verb?.ask ?? action} of `, ...thing, ' was interrupted'],
    ...(isForced && { typed: String(vmid) }),
  }
}

function plainAct(verb: Verb | undefined, thing: Piece[], { approve, ghost }: Pick<Act, 'approve' | 'ghost'>): Act {
  const { ask, doing, did, plain, after = '' } = verb ?? { ask: 'Run', doing: 'Running', did: 'Ran', plain: 'run' }
  return {
    ask: [`${ask} `, ...thing, `${after}?`],
    doing: [`${doing} `, ...thing, after],
    did: [`${did} `, ...thing, after],
    didNot: [`Did not ${plain} `, ...thing],
    failed: [`Did not ${plain} `, ...thing],
    interrupted: [`${ask} `, ...thing, ': interrupted'],
    approve,
    ghost,
  }
}

type Files = NonNullable<Card['diff']>
const fileVerbs: Record<Files[number]['change'], [ask: string, doing: string, did: string]> = {
  added: ['Make', 'Making', 'Made'],
  changed: ['Change', 'Changing', 'Changed'],
  mode: ['Change', 'Changing', 'Changed'],
  deleted: ['Delete', 'Deleting', 'Deleted'],
  named: ['Read', 'Reading', 'Read'],
}

/** Wording for a change of files, from the files on the card. Several files are named by their common folder. */
function filesAct(diff: Files, deed: string | undefined): Act {
  const kinds = new Set(diff.map(({ change }) => (change === 'mode' ? 'changed' : change)))
  const [only] = kinds
  const ofKind = fileVerbs[kinds.size === 1 && only !== undefined ? only : 'changed']
  // A commit leaves the files unchanged and records them in the history.
  const verbs = deed?.startsWith('commit ') ? (['Commit', 'Committing', 'Committed'] as const) : ofKind
  const [ask, doing, did] = verbs
  const [first] = diff
  const thing: Piece[] =
    diff.length === 1 && first !== undefined
      ? [{ value: first.path }]
      : [`${diff.length} files in `, { value: folderOf(diff.map(({ path }) => path)) }]
  const plain = ask.toLowerCase()
  return {
    ask: [`${ask} `, ...thing, '?'],
    doing: [`${doing} `, ...thing],
    did: [`${did} `, ...thing],
    didNot: [`Did not ${plain} `, ...thing],
    failed: [`Did not ${plain} `, ...thing],
    interrupted: [`${ask} `, ...thing, ': interrupted'],
    approve: deed === undefined ? `${plain} as shown` : visibleText(deed),
    ghost: 'change',
  }
}

/** Returns the common folder of all paths: `compose/caddy` for `compose/caddy/a` and `compose/caddy/b/c`. */
function folderOf(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1))
  const common = first.findIndex((part, at) => others.some((other) => other[at] !== part))
  return (common === -1 ? first : first.slice(0, common)).join('/')
}

/** The wording of a card for a call that no known verb fits: the server's text of the action, with the target's name in it. */
const deedAct = (deed: string, target: Card['target']): Act => ({
  ask: [...orderOf(capital(deed), target), '?'],
  doing: [`Under way: ${deed}`],
  did: [`Done: ${deed}`],
  didNot: [`Did not ${deed}`],
  failed: [`Did not ${deed}`],
  interrupted: [`${capital(deed)}: interrupted`],
  approve: deed,
  ghost: 'change',
})

/** Adds the type, the name and the node of a guest to the order that names its id. Of another target, the order has the name, which is boxed. */
function orderOf(order: string, { vmid, name, type, node }: Card['target']): Piece[] {
  const words = order.split(' ')
  const place = vmid === undefined ? -1 : words.indexOf(String(vmid))
  if (place >= 0)
    return [
      [...words.slice(0, place), type === 'ct' ? 'CT ' : 'VM '].join(' '),
      { id: String(vmid) },
      ...(name === undefined ? [] : [' ', { value: name }]),
      ...(node === undefined ? [] : [' on ', named(node)]),
      ['', ...words.slice(place + 1)].join(' '),
    ]
  const at = name === undefined ? -1 : order.lastIndexOf(name)
  if (name === undefined || name === '' || at < 0) return [order]
  return [order.slice(0, at), named(name), order.slice(at + name.length)]
}

export const sentenceText = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : 'id' in piece ? piece.id : visibleText(piece.value)))
    .join('')

const firstKeys = ['vmid', 'node', 'service', 'command', 'force']

/** The complete arguments as JSON with a fixed order of keys: ids first, the rest by name. */
export function exactInput(input: Record<string, unknown>): string {
  const rank = (key: string) => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  const keys = Object.keys(input).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(input[key])}`).join(', ')}}`
}

/** Returns the same call as a command for the composer. */
export function commandLine(toolName: string, input: Record<string, unknown>): string {
  const value = (raw: unknown) =>
    typeof raw === 'string' && !/^[\w./:-]+$/.test(raw)
      ? JSON.stringify(raw)
      : typeof raw === 'string'
        ? raw
        : JSON.stringify(raw)
  return [`/${toolName}`, ...Object.entries(input).map(([key, raw]) => `${key}=${value(raw)}`)].join(' ')
}
