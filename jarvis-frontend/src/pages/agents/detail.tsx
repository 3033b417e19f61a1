import type { AgentDeed, AgentDetail, AgentInfo, AgentsReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { filesOf, readAgent, removeAgent } from '../../api/agents.ts'
import { listSkills } from '../../api/skills.ts'
import { useLoad, useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { Markdown } from '../../features/chat/markdown.tsx'
import { Editor } from '../../features/memory/editor.tsx'
import { stateWords } from '../../features/skills/words.ts'
import { exactTime, size } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import { navigate } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { AgentForm } from './agent-form.tsx'
import { WhatWouldHappen } from './try-agent.tsx'
import { bindingWords, deedWords, usedWords } from './words.ts'
import '../memory/page.css'

type Props = {
  info: AgentInfo
  all: AgentsReply
  mayAct: boolean
  /** True if this person may create, change and remove agents. */
  mayMake: boolean
  isOwner: boolean
  params: URLSearchParams
  set: (changes: Record<string, string | undefined>) => void
}

const purposes: Record<string, string> = {
  'AGENTS.md': 'what it is for',
  'SOUL.md': 'how it speaks',
  'IDENTITY.md': 'who it is',
  'USER.md': 'who you are',
  'TOOLS.md': 'notes on its tools',
  'MEMORY.md': 'notes, the only file that it writes itself',
}
const memoryWords = {
  own: 'its own, and main’s folder shared',
  shared: 'main’s',
  none: 'none: it recalls and notes nothing',
}

/** One agent: its limits, files, bindings and latest actions. */
export function AgentPart({ info, all, mayAct, mayMake, isOwner, params, set }: Props) {
  const { id } = info
  const { data, problem, again } = useNewest(`agent ${id}`, () => readAgent(id), [
    'connect',
    'agents',
    'confirmations',
    'sessions',
  ])
  const file = params.get('file')
  const isEditing = params.has('edit')
  const talk = () => {
    if (id !== 'main') keep.set('draft.new', `@${id} `)
    navigate('/')
  }
  if (data !== undefined && isEditing && isOwner)
    return <AgentForm all={all} agent={data} onDone={() => set({ edit: undefined })} />
  if (file !== null) return <FilePart id={id} path={file} onBack={() => set({ file: undefined })} mayAct={mayAct} />
  return (
    <>
      <header className="agent-head">
        <div>
          <h2>{id}</h2>
          <span className="agent-tag">
            <Tier tier={info.ceiling} size={10} /> at most {tierWord[info.ceiling]}
          </span>
          {mayAct && (
            <span className="agent-acts">
              <button type="button" className="button small" onClick={talk}>
                Talk to it
              </button>
              {mayMake && (
                <button type="button" className="button small" onClick={() => set({ edit: '1' })}>
                  Edit
                </button>
              )}
            </span>
          )}
        </div>
        {info.about !== '' && (
          <p className="text-soft">
            <Visible text={info.about} />
          </p>
        )}
        {info.problem !== undefined && (
          <p>
            <Mark kind="bad" size={11} /> <Visible text={info.problem} /> It does not answer, and nobody does in its
            place.
          </p>
        )}
      </header>
      <Limits info={info} all={all} />
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={6} height={24} />
      ) : (
        <>
          <Files detail={data} mayAct={mayAct} />
          {id !== 'main' && <Skills id={id} patterns={data.body.skills} />}
          <Bindings detail={data} />
          <Lately deeds={data.lately} />
          <PanelHead title="What would happen?">nothing is run</PanelHead>
          <WhatWouldHappen id={id} offered={data.offered} />
          {mayMake && id !== 'main' && <Delete id={id} onGone={() => set({ agent: undefined })} />}
        </>
      )}
    </>
  )
}

function Limits({ info, all }: { info: AgentInfo; all: AgentsReply }) {
  const { tools = {}, budget } = info
  const lists = [tools.allow?.join(', '), tools.deny && `not ${tools.deny.join(', ')}`].filter(Boolean).join('; ')
  const rows: [name: string, value: string, note?: string | undefined][] = [
    ['Model', info.model ?? 'the one in use', info.model === undefined ? undefined : 'never another'],
    ['Tools', `${info.toolCount} of ${all.allTools}`, lists],
    ['Memory', memoryWords[info.memory]],
    ['Budget', Object.keys(budget).length === 0 ? 'no limit of its own' : usedWords(info).words, 'today'],
    ...(info.effort === undefined ? [] : [['Effort', info.effort] as [string, string]]),
    ...(info.temperature === undefined
      ? []
      : [['Temperature', String(info.temperature), 'where its model takes it'] as [string, string, string]]),
    ...(info.maxTokens === undefined ? [] : [['Tokens', `at most ${info.maxTokens} a reply`] as [string, string]]),
  ]
  return (
    <>
      <PanelHead title="Limits" />
      <dl className="agent-facts">
        {rows.map(([name, value, note]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Visible text={value} />{' '}
              {note !== undefined && note !== '' && (
                <small>
                  <Visible text={note} />
                </small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Files({ detail: { id, files }, mayAct }: { detail: AgentDetail; mayAct: boolean }) {
  const missing = mayAct
    ? Object.keys(purposes).filter((path) => path !== 'MEMORY.md' && !files.some((file) => file.path === path))
    : []
  const to = (path: string) => `/agents?agent=${id}&file=${encodeURIComponent(path)}`
  return (
    <>
      <PanelHead title="Files">{id === 'main' ? 'workspace' : `agents/${id}`}</PanelHead>
      <ul className="agent-rows">
        {files.map(({ path, bytes, changedAt, by }) => (
          <li key={path}>
            <Link to={to(path)}>
              <b>{path}</b>
              <small>
                {purposes[path] ?? 'a file of its folder'} · {size(bytes)}
                {by === undefined ? ', written by hand' : `, by ${by}`}, {exactTime(changedAt)}
              </small>
            </Link>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <p className="agents-note">
          Not there:{' '}
          {missing.map((path) => (
            <Link key={path} className="text-link" to={to(path)}>
              {path}
            </Link>
          ))}
        </p>
      )}
    </>
  )
}

/** The skills in the agent's own folder. The skills of the workspace have their own page. */
function Skills({ id, patterns }: { id: string; patterns: readonly string[] | undefined }) {
  const { data, problem, again } = useLoad(`skills of ${id}`, () => listSkills(id), ['connect', 'skills'])
  const shared = patterns === undefined ? 'all' : patterns.length === 0 ? 'none' : patterns.join(', ')
  return (
    <>
      <PanelHead title="Skills">{`agents/${id}/skills`}</PanelHead>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <ul className="agent-rows">
        {data?.items.map((skill) => {
          const { mark, words } = stateWords(skill)
          return (
            <li key={skill.name}>
              <Link to={`/agents/skills/${encodeURIComponent(skill.name)}?agent=${id}`}>
                <div className="with-mark">
                  <Mark kind={mark} size={11} />
                  <div>
                    <b>
                      <Visible text={skill.name} />
                    </b>
                    <small>
                      {words} · <Visible text={skill.description} />
                    </small>
                  </div>
                </div>
              </Link>
            </li>
          )
        })}
      </ul>
      <p className="agents-note">
        {data?.items.length === 0 && 'None of its own. '}Of the{' '}
        <Link to="/agents/skills" className="text-link">
          workspace’s
        </Link>{' '}
        it may load: <Visible text={shared} />.
      </p>
    </>
  )
}

function Bindings({ detail: { id, bindings } }: { detail: AgentDetail }) {
  return (
    <>
      <PanelHead title="Bindings">the most telling wins</PanelHead>
      <ol className="agent-rows">
        {bindings.map((binding, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a binding has no name but its place
          <li key={at}>
            <span className="num">{at + 1}</span> <Visible text={bindingWords(binding)} />
          </li>
        ))}
        <li>
          {id === 'main' ? 'Everybody whom no other binding fits.' : 'Dashboard, by '}
          {id !== 'main' && <code>@{id}</code>}
        </li>
      </ol>
    </>
  )
}

function Lately({ deeds }: { deeds: readonly AgentDeed[] }) {
  return (
    <>
      <PanelHead title="Lately">
        <Link className="text-link" to="/journal">
          Journal
        </Link>
      </PanelHead>
      {deeds.length === 0 && <p className="agents-note">Nothing in the newest of the journal.</p>}
      <ul className="agent-rows">
        {deeds.map(({ seq, at, kind, toolName, target, outcome, reason, sessionId }) => {
          const { word, mark } = deedWords({ kind, outcome })
          const text = `${word}: ${toolName ?? ''}${target === undefined ? '' : `, ${target}`}`
          return (
            <li key={seq}>
              <div className="with-mark">
                <Mark kind={mark} size={11} />
                <div>
                  {sessionId === undefined ? (
                    <Visible text={text} />
                  ) : (
                    <Link to={`/chat/${sessionId}`}>
                      <Visible text={text} />
                    </Link>
                  )}
                  <small>
                    {exactTime(at)}
                    {reason !== undefined && reason !== 'base' && (
                      <>
                        {' · '}
                        <Visible text={reason} />
                      </>
                    )}
                  </small>
                </div>
              </div>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** One file of the agent's folder, edited like the texts of the persona. */
function FilePart({ id, path, mayAct, onBack }: { id: string; path: string; mayAct: boolean; onBack: () => void }) {
  const files = filesOf(id)
  const { data, problem, again, put } = useNewest(`agent file ${id}/${path}`, () => files.read(path), [
    'connect',
    'agents',
  ])
  const isLive = useIsLive()
  const isAbsent = problem?.code === 'not_found'
  return (
    <>
      <button type="button" className="back text-link" onClick={onBack}>
        <Icon name="right" /> {id}
      </button>
      {problem !== undefined && !isAbsent && <Problem error={problem} onAgain={again} kept={data !== undefined} />}
      {data === undefined && !isAbsent ? (
        problem === undefined && <Skeletons rows={1} height={220} />
      ) : (
        <Editor
          file={isAbsent ? undefined : data}
          path={path}
          of={{ key: `agents/${id}/${path}`, ...files }}
          line={undefined}
          rest={mayAct ? undefined : <Resting isOperator={false} isLive={isLive} />}
          preview={(text) => <Markdown text={text} />}
          onSaved={put}
          onDeleted={() => {
            again()
            onBack()
          }}
        />
      )}
    </>
  )
}

function Delete({ id, onGone }: { id: string; onGone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [refused, setRefused] = useState<ApiError>()
  useEscape(isAsking ? () => setAsking(false) : undefined)
  const remove = async () => {
    try {
      await removeAgent(id)
      say(`${id} is deleted.`)
      onGone()
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  return (
    <p className="agents-note">
      {isAsking ? (
        <>
          Its folder and conversations stay; who is bound to it is answered by others.{' '}
          <button type="button" className="button small" onClick={() => void remove()}>
            Delete {id}
          </button>{' '}
          <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </>
      ) : (
        <button type="button" className="button small quiet" onClick={() => setAsking(true)}>
          Delete…
        </button>
      )}
      <Problem error={refused} isRefusal />
    </p>
  )
}
