import type { PolicyCheckReply, PolicyReplayReply, PolicyReply } from 'protocol'
import type { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { checkPolicy, readPolicy, replayPolicy } from '../../api/policy.ts'
import { problemOf } from '../../api/remote.ts'
import { readSettings } from '../../api/settings.ts'
import { useStatus } from '../../api/status.ts'
import { useLoad, useNewest } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { exactTime, plural } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import { Visible } from '../../ui/boxed.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { visibleText } from '../../ui/visible.ts'
import { Section, useRights } from './section.tsx'
import './policy.css'

/** Pause in typing, ms, after which the draft is checked. */
const settleMs = 400

/** policy.yaml and the policy in force. An owner tries a draft here before saving the file. */
export function Policy() {
  const { isOperator: isOwner, isLive } = useRights()
  return (
    <Section id="policy" title="Policy">
      <p>
        Your own rules stand in <code>policy.yaml</code>. They add to what JARVIS ships, and count as soon as the file
        is saved. This page writes nothing.
      </p>
      <InForce />
      {isOwner ? <Written /> : <Resting who="owner" isOperator={false} isLive={isLive} />}
    </Section>
  )
}

/** Says if the file is in force, and what is protected. */
function InForce() {
  const policy = useStatus()?.policy
  const { data, problem, again } = useLoad('settings', readSettings, ['connect', 'settings'])
  const unseen = data?.unseenTargets ?? []
  const seen = data?.protectedTargets.filter((target) => !unseen.includes(target)) ?? []
  return (
    <>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <ul className="fact-list">
        <li>
          <Mark
            kind={policy?.problems === undefined ? (policy?.hash === undefined ? 'none' : 'ok') : 'warn'}
            size={11}
          />
          <span>
            policy.yaml
            <small>your own rules</small>
          </span>
          <span className="text-soft">
            {policy?.problems !== undefined ? (
              <>
                Not in force as it is now; the one before is.
                {policy.problems.map((line) => (
                  <small key={line} className="mono">
                    <Visible text={line} />
                  </small>
                ))}
              </>
            ) : policy?.hash === undefined ? (
              'none in the data dir: only what JARVIS ships is in force'
            ) : (
              <>
                in force <small className="mono">{policy.hash.slice(0, 16)}</small>
              </>
            )}
          </span>
        </li>
        <li>
          <Mark kind={seen.length > 0 ? 'running' : 'none'} size={11} />
          <span>
            Protected
            <small>nothing may change these</small>
          </span>
          <span className="text-soft">
            <span className="mono">
              <Visible text={seen.join(', ') || 'none'} />
            </span>
            {unseen.length > 0 && (
              <small>
                <span className="mono">
                  <Visible text={unseen.join(', ')} />
                </span>
                : not in this cluster
              </small>
            )}
            <small>
              <code>JARVIS_PROTECTED</code> in <code>.env</code> names them, or <code>protected:</code> in policy.yaml
            </small>
          </span>
        </li>
      </ul>
    </>
  )
}

function Written() {
  const { data, problem, again } = useNewest('policy', readPolicy, ['connect', 'settings'])
  if (data === undefined)
    return problem === undefined ? <Skeletons rows={6} height={34} /> : <Problem error={problem} onAgain={again} />
  return (
    <>
      <Problem error={problem} onAgain={again} kept />
      <details>
        <summary>Everything in force, with what JARVIS ships</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
        <pre className="policy-text" tabIndex={0}>
          {visibleText(data.lines.join('\n'))}
        </pre>
      </details>
      <Draft file={data} />
    </>
  )
}

const draftKey = 'draft.policy'
const baseKey = 'draft.policy.hash'

/**
 * The text of the draft, which this browser keeps: the file's own until something else is typed. `hasChanged`: the file is no longer the one that the
 * draft began with.
 */
function useDraft(file: PolicyReply) {
  const [draft, setDraft] = useState(() => keep.get(draftKey))
  const [base, setBase] = useState(() => keep.get(baseKey))
  const isChanged = draft !== undefined && draft !== file.text
  const put = (next: string | undefined) => {
    const hash = next === undefined ? undefined : isChanged ? base : file.hash
    setDraft(next)
    setBase(hash)
    keep.set(draftKey, next)
    keep.set(baseKey, hash)
  }
  return {
    text: draft ?? file.text,
    hasChanged: isChanged && base !== file.hash,
    put: (next: string) => put(next === file.text ? undefined : next),
    settle: () => put(undefined),
  }
}

/** A draft of the file: checked while it is typed, and replayed over the newest calls. */
function Draft({ file }: { file: PolicyReply }) {
  const { text, hasChanged, put, settle } = useDraft(file)
  const [checked, setChecked] = useState<{ text: string; found?: PolicyCheckReply; problem?: ApiError }>()
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try checks the same text again
  useEffect(() => {
    let isGone = false
    const timer = setTimeout(() => {
      checkPolicy(text).then(
        (found) => !isGone && setChecked({ text, found }),
        (error) => !isGone && setChecked({ text, problem: problemOf(error) }),
      )
    }, settleMs)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [text, tries])
  const found = checked?.text === text ? checked.found : undefined
  const again = () => {
    setChecked(undefined)
    setTries(tries + 1)
  }
  return (
    <>
      <h3>
        <label htmlFor="policy-draft">A draft of policy.yaml</label>
      </h3>
      {file.problem !== undefined && (
        <p role="note">
          <Mark kind="bad" size={11} /> <Visible text={file.problem} />
        </p>
      )}
      {hasChanged && (
        <p role="note">
          <Mark kind="warn" size={11} /> The file has changed since this draft began.{' '}
          <button type="button" className="button small" onClick={settle}>
            Drop the draft
          </button>
        </p>
      )}
      <textarea
        id="policy-draft"
        className="field mono policy-draft"
        value={text}
        rows={16}
        spellCheck={false}
        aria-invalid={(found?.problems.length ?? 0) > 0}
        aria-describedby="policy-found"
        onChange={(event) => put(event.currentTarget.value)}
      />
      <div id="policy-found" role="status">
        {checked?.text !== text && <p>Checking the draft</p>}
        {checked?.text === text && <Problem error={checked.problem} onAgain={again} />}
        {found !== undefined && <Found found={found} isSame={text === file.text} />}
      </div>
      <Replayed key={text} text={text} isUsable={found !== undefined && found.problems.length === 0} />
      <p>
        To use it, save it as <code>{file.path}</code>. On the command line: <code>jarvis policy check FILE</code> and{' '}
        <code>jarvis policy replay FILE</code>.
      </p>
    </>
  )
}

function Found({
  found: { problems, summary, changes, unmet, unchecked },
  isSame,
}: {
  found: PolicyCheckReply
  isSame: boolean
}) {
  if (problems.length > 0)
    return (
      <ul className="policy-lines">
        {problems.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            <Mark kind="bad" size={11} />
            <span>
              <b>
                Line {line}, column {column}:
              </b>{' '}
              <Visible text={message} />
            </span>
          </li>
        ))}
      </ul>
    )
  return (
    <>
      <p>
        <Mark kind="ok" size={11} /> {isSame ? 'The file' : 'The draft'} is in order: {summary}.
      </p>
      <ul className="policy-lines">
        {unmet.map((line) => (
          <li key={line}>
            <Mark kind="warn" size={11} />
            <Visible text={line} />
          </li>
        ))}
        {changes.map((line) => (
          <li key={line}>
            <Mark kind="step" size={11} />
            <Visible text={line} />
          </li>
        ))}
        {unchecked.length > 0 && (
          <li>
            <Mark kind="unknown" size={11} />
            <span>
              Not checked, tools of attached servers: <Visible text={unchecked.join(', ')} />
            </span>
          </li>
        )}
      </ul>
    </>
  )
}

/** Lists the newest calls that the draft would have judged differently. */
function Replayed({ text, isUsable }: { text: string; isUsable: boolean }) {
  const [seen, setSeen] = useState<PolicyReplayReply>()
  const [refused, setRefused] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const replay = async () => {
    setBusy(true)
    try {
      setSeen(await replayPolicy(text))
      setRefused(undefined)
    } catch (error) {
      setRefused(problemOf(error))
    }
    setBusy(false)
  }
  return (
    <>
      <div className="two-acts">
        <button type="button" className="button" disabled={!isUsable || isBusy} onClick={() => void replay()}>
          {isBusy ? 'Judging' : 'Judge the newest calls by it'}
        </button>
        <CopyButton text={text} label="Copy the draft" />
      </div>
      <Problem error={refused} isRefusal />
      {seen !== undefined && (
        <div role="status">
          <p>
            {seen.changed.reduce((sum, { count }) => sum + count, 0)} of {plural(seen.calls, 'call')}
            {seen.since !== undefined && ` since ${exactTime(seen.since)}`} would be judged differently.
          </p>
          <ul className="policy-lines" aria-label="Judged differently">
            {seen.changed.map(({ toolName, target, from, to, count, lastAt }) => (
              <li key={`${toolName} ${target} ${from.rule} ${to.rule} ${to.reason}`}>
                <Tier tier={to.tier} size={12} />
                <span>
                  <b>
                    {tierWord[from.tier]} → {tierWord[to.tier]}
                  </b>{' '}
                  <code>
                    <Visible text={`${toolName} ${target}`} />
                  </code>
                  , {count === 1 ? 'once' : `${count} times`}, last {exactTime(lastAt)}.{' '}
                  <code>
                    {from.rule} → {to.rule}
                  </code>
                  : <Visible text={to.reason} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
