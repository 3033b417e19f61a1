import type { Tier as TierName, ToolCalls, ToolInfo } from 'protocol'
import { readJournal } from '../../api/journal.ts'
import { readCalls, tools, useTools } from '../../api/tools.ts'
import { useLoad } from '../../api/use-load.ts'
import { useKnownNames } from '../../app/known-names.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useAskNew } from '../../app/use-ask.ts'
import { lineOf } from '../../features/journal/line.ts'
import { argumentsOf, effectWords } from '../../features/tools/arguments.ts'
import { TryIt } from '../../features/tools/try-it.tsx'
import { exactTime, plural } from '../../lib/format.ts'
import { useSearchParams } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { visibleText } from '../../ui/visible.ts'
import './page.css'
import { Empty } from '../../ui/empty.tsx'

const groups: readonly (readonly [TierName, string])[] = [
  ['green', 'runs at once'],
  ['yellow', 'runs, is journalled and shown'],
  ['red', 'waits for you'],
  ['black', 'is refused: unknown tools and arguments, anything protected, SSH not proven to read'],
]

/** The page with all tools of JARVIS, by tier. */
export function ToolsPage() {
  const list = useTools()
  const [params] = useSearchParams()
  const isPhone = useMedia(phone)
  const isLive = useIsLive()
  const calls = useLoad('tool calls', readCalls, ['connect', 'sessions', 'confirmations']).data
  const chosen = list?.find(({ name }) => name === params.get('tool')) ?? (isPhone ? undefined : list?.[0])
  const table =
    list === undefined ? (
      isLive ? (
        <Skeletons rows={14} height={22} />
      ) : (
        <Empty title="The tools are not known without a connection.">
          <button type="button" className="button" onClick={() => tools.renew()}>
            Try again
          </button>
        </Empty>
      )
    ) : (
      <div className="tool-list">
        <div className="tool-columns" aria-hidden="true">
          <span>Tool</span>
          <span>What it does</span>
          <span>Raised to</span>
          <span>Calls, 7 d</span>
        </div>
        {groups.map(([tier, words]) => (
          <Group
            key={tier}
            tier={tier}
            words={words}
            list={list.filter((tool) => tool.tier === tier)}
            calls={calls}
            chosen={chosen}
          />
        ))}
      </div>
    )
  return (
    <>
      <PageHead detail={list && countOf(list)}>
        <span className="flex-1" />
      </PageHead>
      {isPhone && chosen !== undefined ? (
        <>
          <Link to="/agents/tools" className="back">
            <Icon name="right" /> Tools
          </Link>
          <div className="page scroll">
            <Detail key={chosen.name} tool={chosen} />
          </div>
        </>
      ) : (
        <div className="list-detail">
          <div className="scroll">{table}</div>
          {chosen !== undefined && (
            <div className="detail scroll">
              <Detail key={chosen.name} tool={chosen} />
            </div>
          )}
        </div>
      )}
    </>
  )
}

/** Counts tools by origin: `21 built in, 4 from MCP server grafana`. */
function countOf(list: readonly ToolInfo[]): string {
  const attached = new Map<string, number>()
  for (const { name } of list) {
    const [server = '', tool] = name.split('__', 2)
    if (tool !== undefined) attached.set(server, (attached.get(server) ?? 0) + 1)
  }
  const others = [...attached].map(([server, count]) => `${count} from MCP server ${visibleText(server)}`)
  const own = list.length - [...attached.values()].reduce((sum, count) => sum + count, 0)
  return [`${own} built in`, ...others].join(', ')
}

function Group({
  tier,
  words,
  list,
  calls,
  chosen,
}: {
  tier: TierName
  words: string
  list: readonly ToolInfo[]
  calls: ToolCalls | undefined
  chosen: ToolInfo | undefined
}) {
  if (list.length === 0 && tier !== 'black') return null
  return (
    <section aria-label={tierWord[tier]}>
      <h2>
        <Tier tier={tier} size={13} />
        <b>{tierWord[tier]}</b> {words}
        {tier === 'black' && calls !== undefined && calls.refused > 0 && `. ${calls.refused} refused in 7 d`}
      </h2>
      <ul>
        {list.map((tool) => (
          <li key={tool.name}>
            <Link
              to={`/agents/tools?tool=${encodeURIComponent(tool.name)}`}
              aria-current={tool.name === chosen?.name ? 'true' : undefined}
            >
              <span className="mono cut">{visibleText(tool.name)}</span>
              <span className="cut text-soft">{visibleText(tool.description.split(/[.:;](?:\s|$)/)[0] ?? '')}</span>
              <Raised tool={tool} />
              <span className="num">
                {calls === undefined ? '' : (calls.calls[tool.name] ?? <span className="text-dim">none</span>)}
                <span className="vh"> calls in 7 days</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The strictest verdict that a rule gives the tool's calls, and the number of further reasons. */
function Raised({ tool: { raises = [] } }: { tool: ToolInfo }) {
  const [first] = raises
  if (first === undefined) return <span />
  return (
    <span className="raised cut">
      <Tier tier={first.tier} size={12} />
      <span className="cut text-soft">
        <span className="vh">raised to {tierWord[first.tier]} for </span>
        {visibleText(first.words)}
        {raises.length > 1 && <span className="text-dim"> and {raises.length - 1} more</span>}
      </span>
    </span>
  )
}

function Detail({ tool }: { tool: ToolInfo }) {
  const onAsk = useAskNew()
  const isLive = useIsLive()
  const list = argumentsOf(tool)
  const does = effectWords(tool)
  return (
    <article className="tool-detail stack">
      <div>
        <h2 className="mono">{visibleText(tool.name)}</h2>
        <p className="text-soft">
          <Visible text={tool.description} />
        </p>
      </div>
      <ul className="tool-tiers" aria-label="Tier">
        <li className="cap">Tier</li>
        <li>
          <Tier tier={tool.tier} size={13} />
          <span>
            {tierWord[tool.tier]}
            <small>base tier, under the profile in force{does === '' ? '' : `; ${does}`}</small>
          </span>
        </li>
        {tool.raises?.toReversed().map(({ tier, rule, words }) => (
          <li key={rule}>
            <Tier tier={tier} size={13} />
            <span>
              {tierWord[tier]}, for <Visible text={words} />
              <small>
                rule <code>{rule}</code>
              </small>
            </span>
          </li>
        ))}
      </ul>
      <h3 className="cap">What would happen?</h3>
      <TryIt
        tool={tool}
        names={useKnownNames()}
        onRun={isLive ? onAsk : undefined}
        rest={<Resting isOperator={onAsk !== undefined} isLive={isLive} />}
      />
      <LastCalls name={tool.name} />
      <details>
        <summary className="cap">
          Schema <span className="text-dim">{plural(list.length, 'argument')}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, by keyboard too */}
        <pre className="schema" tabIndex={0}>
          {JSON.stringify(tool.inputSchema, undefined, 2)}
        </pre>
      </details>
    </article>
  )
}

function LastCalls({ name }: { name: string }) {
  const { data, problem, again } = useLoad(`calls of ${name}`, () => readJournal({ toolName: name }, undefined, 6), [
    'connect',
    'sessions',
    'confirmations',
  ])
  return (
    <section className="last-calls">
      <PanelHead title="Last in the journal">
        <Link to={`/journal?toolName=${encodeURIComponent(name)}`} className="text-link">
          All
        </Link>
      </PanelHead>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined && problem === undefined && <Skeletons rows={3} height={20} />}
      {data?.items.length === 0 && <p className="text-soft">Never called.</p>}
      <ul>
        {data?.items.map((entry) => {
          const { tier, word, args, outcome } = lineOf(entry)
          return (
            <li key={entry.seq}>
              <Link to={`/journal?toolName=${encodeURIComponent(name)}&entry=${entry.seq}`}>
                {tier === undefined ? <span /> : <Tier tier={tier} size={11} />}
                <span className="cut">
                  {word}: <Visible text={outcome} />
                  <small className="mono cut">{visibleText(args)}</small>
                </span>
                <time>{exactTime(entry.at)}</time>
              </Link>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
