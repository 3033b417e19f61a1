import type { ClassifyReply, Effect, Guest, Node } from 'protocol'
import { classify, toolFor, useTools } from '../../api/tools.ts'
import { useLoad } from '../../api/use-load.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Tier, tierMeaning, tierWord } from '../../ui/tier.tsx'
import { useCluster } from './store.ts'

/** `does`: the effect by which the tool is found, if the act does not name a tool. */
export type Act = {
  label: string
  does?: Effect
  tool?: string
  input: Record<string, string | number | boolean>
}
type Call = Omit<Act, 'does'> & { tool: string }

/** Returns the possible actions on a guest in its present power state. A clean stop and a forced stop are separate actions. */
export function actsOfGuest({ vmid, type, status, isTemplate }: Guest): Act[] {
  if (isTemplate) return []
  const act = (label: string, action: 'start' | 'stop' | 'restart', force = false): Act => ({
    label,
    does: { kind: 'power', on: 'guest', action, type },
    input: { vmid, ...(force && { force }) },
  })
  if (status === 'stopped') return [act('Start', 'start')]
  const off = [act('Stop', 'stop'), act('Cut the power', 'stop', true)]
  return status === 'running' ? [act('Restart', 'restart'), ...off] : off
}

export const actsOfNode = ({ name, status }: Node): Act[] =>
  status === 'online'
    ? []
    : [{ label: 'Wake', does: { kind: 'power', on: 'node', action: 'start' }, input: { node: name } }]

const commandOf = ({ tool, input }: Call) =>
  `/${tool} ${Object.entries(input)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')}`

/** Buttons for calls, each with the tier that the gate gives the call now. A button asks for its call in a chat. */
export function Acts({
  acts: wanted,
  onAsk,
  hasDots = false,
  children,
}: {
  acts: readonly Act[]
  onAsk: ((command: string) => void) | undefined
  /** True: three dots after a label say that the call shows a card first. */
  hasDots?: boolean
  /** Further buttons, after the actions. */
  children?: React.ReactNode
}) {
  const known = useTools()
  const acts = wanted.flatMap(({ does, ...act }): Call[] => {
    const tool = does === undefined ? known?.find(({ name }) => name === act.tool) : known && toolFor(known, does)
    return tool === undefined ? [] : [{ ...act, tool: tool.name }]
  })
  // Wake-up works also while the cluster cannot be read, so only the connection to the server counts.
  const { isLinked: isLive } = useCluster()
  const key = acts.map(commandOf).join()
  const verdicts = useLoad(`verdicts ${key}`, () => Promise.all(acts.map(({ tool, input }) => classify(tool, input))), [
    'connect',
    'settings',
  ])
  if (acts.length === 0 && children === undefined) return null
  if (onAsk === undefined) return <p className="acts text-dim">An operator can do this.</p>
  const judged = verdicts.isOld ? undefined : verdicts.data
  const refused = judged?.find(({ tier }) => tier === 'black')
  // Say for each call why it is not possible now.
  const impossible = acts.flatMap(({ label }, at) => {
    const why = whyNot(judged?.[at])
    return why === undefined ? [] : [`${label}: ${why}`]
  })
  return (
    <div className="acts">
      {acts.map((act, at) => (
        <ActButton
          key={commandOf(act)}
          act={act}
          verdict={judged?.[at]}
          isLive={isLive}
          onAsk={onAsk}
          hasDots={hasDots}
        />
      ))}
      {children}
      {!isLive && <small>JARVIS is not reached: nothing can be asked for.</small>}
      {refused !== undefined && (
        <small>
          <Visible text={refused.reason} />
        </small>
      )}
      {impossible.map((line) => (
        <small key={line}>
          <Visible text={line} />
        </small>
      ))}
    </div>
  )
}

/** Returns the tool's explanation why a call cannot work, without the argument's name; undefined if it can. */
const whyNot = (verdict: ClassifyReply | undefined): string | undefined =>
  verdict?.rule === 'invalid_arguments' ? verdict.reason.replace(/^\w+: /, '') : undefined

type ButtonProps = {
  act: Call
  verdict: ClassifyReply | undefined
  isLive: boolean
  onAsk: (command: string) => void
  hasDots: boolean
}

function ActButton({ act, verdict, isLive, onAsk, hasDots }: ButtonProps) {
  const why = whyNot(verdict)
  const canAsk = isLive && verdict !== undefined && verdict.tier !== 'black' && why === undefined
  const tier = why ?? (verdict && `${tierWord[verdict.tier]}, ${tierMeaning[verdict.tier]}`)
  return (
    <button
      type="button"
      className="button small"
      disabled={!canAsk}
      title={tier}
      aria-label={tier && `${act.label}, ${tier}`}
      onClick={() => onAsk(commandOf(act))}
    >
      {verdict === undefined ? <span className="tier-space" /> : <Tier tier={verdict.tier} size={11} />}
      {act.label}
      {hasDots && verdict?.tier === 'red' && '…'}
    </button>
  )
}
