import type { AgentInfo, AgentsReply } from 'protocol'
import { readAgents } from '../../api/agents.ts'
import { signedIn } from '../../api/auth.ts'
import { useNewest } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { moveFocus, usePageKeys } from '../../app/use-page-keys.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { AgentForm } from './agent-form.tsx'
import { AgentPart } from './detail.tsx'
import { Compare } from './try-agent.tsx'
import { Which } from './which.tsx'
import { talksTo, usedWords } from './words.ts'
import './page.css'

/** The agents that work for the operator, and their limits. */
export function AgentsPage() {
  // A form must not begin with the hash of an older answer.
  const { data, problem, again } = useNewest('agents', readAgents, ['connect', 'agents', 'confirmations', 'settings'])
  const [params, set] = useNarrowing()
  const isPhone = useMedia(phone)
  const isLive = useIsLive()
  const person = useValue(signedIn)
  const isOperator = person?.role === 'operator'
  const mayAct = isOperator && isLive
  const isOwner = person?.rank === 'owner'
  const mayMake = isOwner && isLive
  const isNew = params.has('new')
  const chosen =
    data?.items.find(({ id }) => id === params.get('agent')) ?? (isPhone || isNew ? undefined : data?.items[0])
  usePageKeys({ j: () => moveFocus('[data-row]', 1), k: () => moveFocus('[data-row]', -1) })
  const detail =
    // The form stays while the link is down, with what was typed.
    isNew && isOwner && data !== undefined ? (
      <AgentForm all={data} onDone={(agent) => set({ new: undefined, agent })} />
    ) : (
      chosen !== undefined &&
      data !== undefined && (
        <AgentPart
          key={chosen.id}
          info={chosen}
          all={data}
          mayAct={mayAct}
          mayMake={mayMake}
          isOwner={isOwner}
          set={set}
          params={params}
        />
      )
    )
  const make = mayMake && data !== undefined && (
    <Link to="/agents?new=1" className="button small">
      <Icon name="plus" /> New agent
    </Link>
  )
  return (
    <>
      <PageHead counts={{ '/agents': data?.items.length }}>
        <span className="flex-1" />
        {make}
      </PageHead>
      {isPhone && !isNew && chosen === undefined && (make || (person?.rank === 'owner' && data === undefined)) && (
        <div className="agents-act">{make}</div>
      )}
      {data !== undefined && data.problems.length > 0 && <Broken problems={data.problems} />}
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {isPhone && (chosen !== undefined || isNew) ? (
        <>
          <Link to="/agents" className="back">
            <Icon name="right" /> Agents
          </Link>
          <div className="page scroll agent-detail">{detail}</div>
        </>
      ) : (
        <div className="list-detail agents-split">
          <div className="scroll">
            {data === undefined ? (
              problem === undefined && <Skeletons rows={5} height={34} />
            ) : (
              <List all={data} chosen={chosen?.id} />
            )}
            <p className="agents-note">
              An agent only narrows: it can never do what policy.yaml does not let you do. “At most” is the highest tier
              that its calls may have; above it a call is refused.
            </p>
            {data?.warnings.map((warning) => (
              <p key={warning} className="agents-note">
                <Mark kind="warn" size={11} /> <Visible text={warning} />
              </p>
            ))}
            {!mayAct && <Resting isOperator={isOperator} isLive={isLive} />}
            {data !== undefined && <Which />}
            {data !== undefined && mayAct && <Compare ids={data.items.map(({ id }) => id)} />}
          </div>
          {detail && <div className="scroll detail agent-detail">{detail}</div>}
        </div>
      )}
    </>
  )
}

function Broken({ problems }: { problems: readonly string[] }) {
  return (
    <div className="strip page-problem" role="alert">
      <Mark kind="bad" size={12} />
      <span>
        agents.yaml is wrong, so the agents stay as they were before.
        {problems.map((text) => (
          <code key={text} className="agent-fault">
            <Visible text={text} />
          </code>
        ))}
      </span>
    </div>
  )
}

function List({ all, chosen }: { all: AgentsReply; chosen: string | undefined }) {
  return (
    <ul className="agent-list" aria-label="Agents">
      <li className="agent-columns" aria-hidden="true">
        <span>Agent</span>
        <span>Model</span>
        <span>Tools</span>
        <span>At most</span>
        <span>Talks to</span>
        <span>Used today</span>
      </li>
      {all.items.map((agent) => (
        <Row key={agent.id} agent={agent} isChosen={agent.id === chosen} />
      ))}
    </ul>
  )
}

function Row({ agent, isChosen }: { agent: AgentInfo; isChosen: boolean }) {
  const { id, name, model, toolCount, ceiling, waiting, problem } = agent
  const used = usedWords(agent)
  return (
    <li>
      <Link to={`/agents?agent=${id}`} data-row={id} aria-current={isChosen ? 'true' : undefined}>
        <span className="agent-name">
          <Icon name="agents" />
          <b>{id}</b>
          {name !== id && (
            <span className="text-dim cut">
              <Visible text={name} />
            </span>
          )}
          {waiting > 0 && (
            <span className="agent-tag">
              <Tier tier="red" size={10} /> {waiting} {waiting === 1 ? 'waits' : 'wait'}
            </span>
          )}
        </span>
        <span className="cut text-soft">
          {problem === undefined ? (
            <Visible text={model ?? 'the one in use'} />
          ) : (
            <>
              <Mark kind="bad" size={11} label="cannot answer" /> <Visible text={problem} />
            </>
          )}
        </span>
        <span className="num">
          {toolCount}
          <span className="vh"> tools</span>
        </span>
        <span className="agent-ceiling">
          <Tier tier={ceiling} size={12} />
          <span>{tierWord[ceiling]}</span>
        </span>
        <span className="cut text-soft">
          <Visible text={talksTo(agent)} />
        </span>
        <span className="agent-used">
          {used.ratio !== undefined && <Meter ratio={used.ratio} tone={used.ratio >= 1 ? 'warn' : undefined} />}
          <span className="num cut">{used.words}</span>
        </span>
      </Link>
    </li>
  )
}
