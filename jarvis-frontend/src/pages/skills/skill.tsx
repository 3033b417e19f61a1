import type { SkillTree } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { approveSkill, deleteSkill, readSkill, turnSkillOff } from '../../api/skills.ts'
import { useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { isScript, mustBeRead, shortHash, stateWords } from '../../features/skills/words.ts'
import { dateOf, plural, size } from '../../lib/format.ts'
import { navigate, useLocation } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { FileView } from './file-view.tsx'
import './page.css'

/** One skill: its files compared with the approved tree, and the button that approves exactly these files. */
export function SkillPage({ name }: { name: string }) {
  const agent = new URLSearchParams(useLocation().search).get('agent') ?? undefined
  const { data, problem, again, put } = useNewest(`skill ${name} of ${agent}`, () => readSkill(name, agent), [
    'skills',
    'connect',
  ])
  return (
    <>
      <PageHead
        title={<Visible text={name} />}
        name={name}
        list={agent === undefined ? undefined : { to: homeOf(agent), name: agent }}
        detail={data && <span className="skill-state">{stateWords(data).words}</span>}
      >
        <span className="flex-1" />
      </PageHead>
      <div className="page skill">
        <Problem error={problem} onAgain={again} kept={data !== undefined} />
        {data === undefined && problem === undefined && <Skeletons rows={10} height={18} />}
        {data !== undefined && <Opened skill={data} agent={agent} onChanged={put} />}
      </div>
    </>
  )
}

type OpenedProps = {
  skill: SkillTree
  /** The agent that owns the skill; undefined: the workspace. */
  agent: string | undefined
  onChanged: (skill: SkillTree) => void
}

function Opened({ skill, agent, onChanged }: OpenedProps) {
  const { files } = skill
  const due = files.filter(mustBeRead)
  const [chosen, setChosen] = useState((due[0] ?? files[0])?.path)
  /** Files that the person scrolled to their end, by path and hash. */
  const [read, setRead] = useState<ReadonlySet<string>>(new Set())
  const isRead = (file: { path: string; hash: string }) => read.has(`${file.path} ${file.hash}`)
  const shown = files.find(({ path }) => path === chosen)
  const left = due.filter((file) => !isRead(file))
  return (
    <>
      <aside className="skill-tree scroll" aria-label="Files">
        <PanelHead title="Tree">{`${plural(files.length, 'file')}, ${size(skill.bytes)}`}</PanelHead>
        <ul>
          {files.map((file) => (
            <li key={file.path}>
              <button
                type="button"
                aria-current={file.path === chosen ? 'true' : undefined}
                onClick={() => setChosen(file.path)}
              >
                <Mark kind={!mustBeRead(file) || isRead(file) ? 'ok' : 'unknown'} size={10} />
                <span>
                  <Visible text={file.path} />
                  <small>
                    {file.change === 'same'
                      ? 'same as approved'
                      : `${file.change}, ${isRead(file) ? 'read' : 'not read'}`}
                    {isScript(file.path) && '; JARVIS never runs it'}
                  </small>
                </span>
              </button>
            </li>
          ))}
        </ul>
        <FrontMatter skill={skill} />
      </aside>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <section className="skill-main scroll" tabIndex={0} aria-label="Text">
        {skill.faults
          .filter(({ path }) => path === undefined || !files.some((file) => file.path === path))
          .map(({ message, path }) => (
            <p className="strip" key={message}>
              <Mark kind="bad" size={12} />
              <span>
                {path !== undefined && `${path}: `}
                <Visible text={message} />
              </span>
            </p>
          ))}
        {shown !== undefined && (
          <FileView
            key={`${shown.path} ${shown.hash}`}
            skill={skill}
            file={shown}
            onRead={() => setRead((before) => new Set([...before, `${shown.path} ${shown.hash}`]))}
          />
        )}
      </section>
      <Approval
        skill={skill}
        agent={agent}
        left={left.map(({ path }) => path)}
        due={due.length}
        onChanged={onChanged}
        onNext={setChosen}
      />
    </>
  )
}

const homeOf = (agent: string | undefined) =>
  agent === undefined ? '/agents/skills' : `/agents?agent=${encodeURIComponent(agent)}`

function FrontMatter({ skill }: { skill: SkillTree }) {
  const { description, license, compatibility, wants, others, metadata } = skill
  const rows: [string, string | undefined][] = [
    ['description', description],
    ['license', license],
    ['compatibility', compatibility],
    ...Object.entries(metadata),
    ['wants', wants.length === 0 ? undefined : wants.join(', ')],
    ['not read', others.length === 0 ? undefined : others.join(', ')],
  ]
  return (
    <>
      <PanelHead title="Front matter" />
      <dl className="skill-front">
        {rows.map(
          ([key, value]) =>
            value !== undefined && (
              <div key={key}>
                <dt>
                  <Visible text={key} />
                </dt>
                <dd>
                  <Visible text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
      {wants.length > 0 && <p className="skill-note">“wants” is allowed-tools: it approves nothing.</p>}
    </>
  )
}

type ApprovalProps = Omit<OpenedProps, 'onChanged'> & {
  /** Paths of changed files that the person has not scrolled to their end yet. */
  left: string[]
  due: number
  onChanged: (skill: SkillTree) => void
  onNext: (path: string) => void
}

function Approval({ skill, agent, left, due, onChanged, onNext }: ApprovalProps) {
  const { name, hash, approved, state, faults, tokens, lastUse } = skill
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [refused, setRefused] = useState<ApiError>()
  const [isDeleting, setDeleting] = useState(false)
  const [next] = left
  useEscape(isDeleting ? () => setDeleting(false) : undefined)
  const rest =
    faults.length > 0 || hash === null
      ? `It cannot be approved: ${plural(faults.length, 'fault')}.`
      : state === 'approved'
        ? 'Exactly this tree is approved.'
        : left.length > 0
          ? `${due - left.length} of ${plural(due, 'changed file')} read to the end.`
          : undefined
  const act = async (work: () => Promise<unknown>, done: string) => {
    setRefused(undefined)
    try {
      const changed = await work()
      if (changed !== undefined) onChanged(changed as SkillTree)
      say(done)
    } catch (error) {
      if (error instanceof ApiError && error.code !== 'step_up_required') setRefused(error)
    }
  }
  const remove = async () => {
    await deleteSkill(name, agent)
    navigate(homeOf(agent))
  }
  return (
    <aside className="skill-side scroll" aria-label="Approve this tree">
      <PanelHead title="Approve this tree" />
      <dl className="skill-front">
        {approved !== undefined && (
          <div>
            <dt>Was</dt>
            <dd>
              <code>{shortHash(approved.hash)}</code> {dateOf(approved.at)}, {approved.by}
            </dd>
          </div>
        )}
        <div>
          <dt>Is</dt>
          <dd>{hash === null ? 'cannot be told' : <code>{shortHash(hash)}</code>}</dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>{due === 0 ? 'nothing changed' : `${due - left.length} of ${plural(due, 'changed file')}`}</dd>
        </div>
      </dl>
      {isOperator && isLive ? (
        <div className="skill-acts">
          {state === 'approved' && (
            <button
              type="button"
              className="button"
              onClick={() => void act(() => turnSkillOff(name, agent), 'Turned off.')}
            >
              Turn it off
            </button>
          )}
          {state !== 'approved' && (
            <button
              type="button"
              className="button"
              disabled={rest !== undefined}
              aria-describedby="skill-rest"
              onClick={() => void act(() => approveSkill(name, hash ?? '', agent), 'Approved.')}
            >
              Approve tree {hash?.slice(0, 4)}…
            </button>
          )}
          {next !== undefined && state !== 'approved' && (
            <button type="button" className="button" onClick={() => onNext(next)}>
              Next unread file
            </button>
          )}
          {isDeleting ? (
            <button type="button" className="button" onClick={() => void act(remove, 'Deleted.')}>
              Delete the folder for good
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          )}
        </div>
      ) : (
        <Resting isOperator={isOperator} isLive={isLive} />
      )}
      <p className="skill-note" id="skill-rest">
        {rest ?? 'Every changed file was on the screen.'} Any later change turns the skill off again.
      </p>
      <Problem error={refused} isRefusal />
      <PanelHead title="The model would get" />
      <p className="skill-note">
        Name and description always ({tokens.line} tokens); this text when it is used ({tokens.body} tokens); files when
        it opens them.
      </p>
      <PanelHead title="Last used" />
      <p className="skill-note">
        {lastUse === undefined ? (
          'Never.'
        ) : (
          <>
            {dateOf(lastUse.at)}, in <Link to={`/chat/${lastUse.sessionId}`}>this conversation</Link>.
          </>
        )}
      </p>
    </aside>
  )
}
