import type { ChannelInfo, ChannelRecipient, ChannelRecipientBody } from 'protocol'
import { useState } from 'react'
import { readAgents } from '../../../api/agents.ts'
import {
  changeRecipient,
  checkChannel,
  forgetChannel,
  removeRecipient,
  saveChannel,
  testChannel,
} from '../../../api/channels.ts'
import { useLoad } from '../../../api/use-load.ts'
import { exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Link } from '../../../ui/link.tsx'
import { FormProblem, FormSaid, type Said } from '../form-problem.tsx'
import { TwoStep } from '../people/two-step.tsx'
import { useAttempt } from '../people/use-attempt.ts'
import { Groups } from './groups.tsx'
import { isWithin, rights } from './words.ts'

/** One channel: the people that it reaches, what they may decide there, its settings, and a test. */
export function ChannelPart({
  channel,
  isOwner,
  isResting,
  onChanged,
  children,
}: {
  channel: ChannelInfo
  isOwner: boolean
  isResting: boolean
  onChanged: () => void
  /** The pairings that wait for confirmation. */
  children: React.ReactNode
}) {
  const { id, name, readers, state, from, recipients, pairs, subscribes, settings } = channel
  const { problem, isBusy, attempt } = useAttempt()
  const agents = useLoad('agents', readAgents).data?.items.map((one) => one.id) ?? []
  const [said, setSaid] = useState<Said>()
  const act = async (work: () => Promise<unknown>) => {
    setSaid(undefined)
    if (await attempt(work)) onChanged()
  }
  const check = () =>
    act(async () => {
      const { problem: found, account } = await checkChannel(id)
      const words = `All is well${account === undefined ? '' : `: ${account}`}.`
      setSaid({ ok: found === undefined, text: found ?? words })
    })
  return (
    <>
      <p>{readers}</p>
      {state !== 'off' && (
        <div className="person-acts">
          <button
            type="button"
            className="button small"
            disabled={isResting || isBusy || recipients.length === 0}
            onClick={() => void act(() => testChannel(id))}
          >
            Send a test
          </button>
          {!subscribes && (
            <button
              type="button"
              className="button small quiet"
              disabled={isResting || isBusy}
              onClick={() => void check()}
            >
              Ask the service
            </button>
          )}
          {isOwner && from === 'settings' && (
            <TwoStep
              act="Take out"
              object={name}
              isResting={isResting || isBusy}
              onDo={() => void act(() => forgetChannel(id))}
            />
          )}
        </div>
      )}
      <FormProblem text={problem} />
      <FormSaid said={said} />
      {recipients.length > 0 && (
        <ul className="fact-list recipients" aria-label={pairs ? 'Paired' : subscribes ? 'Browsers' : 'Reached'}>
          {recipients.map((one) => (
            <Recipient
              key={one.id}
              recipient={one}
              channel={channel}
              agents={agents}
              isResting={isResting || isBusy}
              onChange={(body) => act(() => changeRecipient(one.id, body))}
              onRemove={() => act(() => removeRecipient(one.id))}
            />
          ))}
        </ul>
      )}
      {channel.talks && recipients.some(({ isGroup }) => !isGroup) && (
        <p>
          Conversation: what a paired person writes in the private chat is their word, as in this dashboard. Answers go
          there alone. Switching it on, or choosing who answers, asks for your password.
        </p>
      )}
      {subscribes && (
        <p>
          Each person turns it on in a browser, under <Link to="/settings/notifications">Notifications</Link>, and
          chooses there what its notifications may decide, by a key that stays in that browser. Here that can only be
          lowered. Where names are hidden, nothing is approved.
        </p>
      )}
      {channel.atMost === 'approve' && !subscribes && (
        <p>
          Raising to Approve asks for your password, here. Heavy cards never get a button that approves: they say Look.
        </p>
      )}
      {state === 'on' && pairs && children}
      {state === 'on' && isOwner && channel.groups && (
        <Groups channel={channel} isResting={isResting} onChanged={onChanged} />
      )}
      {from === 'environment' ? (
        <p>Its settings come from the environment, so they are changed there.</p>
      ) : (
        isOwner &&
        settings.length > 0 && (
          <form
            className="form-row model-form"
            aria-label={`Set ${name} up`}
            onSubmit={(event) => {
              event.preventDefault()
              const given = new FormData(event.currentTarget)
              const changes = settings.flatMap(
                ({ name: setting, isSet, isSecret, value }): [string, string | null][] => {
                  const next = String(given.get(setting) ?? '').trim()
                  if (next === '') return isSet && !isSecret ? [[setting, null]] : []
                  return next === value ? [] : [[setting, next]]
                },
              )
              void act(() => saveChannel(id, Object.fromEntries(changes)))
            }}
          >
            {settings.map(({ name: setting, label, isRequired, isSecret, isSet, example, value }) => (
              <label key={setting} className="wide">
                {label}
                <input
                  className="field"
                  name={setting}
                  type={isSecret ? 'password' : 'text'}
                  autoComplete="off"
                  required={isRequired && !isSet}
                  placeholder={isSecret && isSet ? 'kept as it is' : example}
                  defaultValue={value ?? ''}
                />
              </label>
            ))}
            <button type="submit" className="button" disabled={isResting || isBusy}>
              {state === 'off' ? 'Set up' : 'Save'}
            </button>
            {state !== 'off' && pairs && <p>Other settings end every pairing.</p>}
          </form>
        )
      )}
      <p>
        Never sent{channel.talks ? ' outside a conversation' : ''}: tool output, commands, notes, addresses, secrets,
        links that decide or sign in.
      </p>
    </>
  )
}

function Recipient({
  recipient: { id, personName, user, name, isGroup, decides, hidesNames, talks, agent, createdAt, problem },
  channel: { atMost, pairs, subscribes, talks: canTalk, name: channel },
  agents,
  isResting,
  onChange,
  onRemove,
}: {
  recipient: ChannelRecipient
  channel: ChannelInfo
  /** Ids of the agents that may answer on this channel. */
  agents: readonly string[]
  isResting: boolean
  onChange: (body: ChannelRecipientBody) => void
  onRemove: () => void
}) {
  return (
    <li>
      <span className="recipient-name">
        <b>
          <Visible text={isGroup ? name : personName} />
        </b>
        <small>
          {isGroup ? (
            <>
              group <span className="num">{user}</span> · alerts and jobs, without names · set by{' '}
              <Visible text={personName} /> {exactTime(createdAt)}
            </>
          ) : subscribes ? (
            <>
              <Visible text={name} /> · since {exactTime(createdAt)}
            </>
          ) : pairs ? (
            <>
              <span className="num">{user}</span> · <Visible text={name} /> · since {exactTime(createdAt)}
            </>
          ) : (
            'the one address of its settings'
          )}
        </small>
        {problem !== undefined && (
          <small>
            <Visible text={`Not reached: ${problem}`} />
          </small>
        )}
      </span>
      <span className="recipient-acts">
        {!isGroup && (subscribes ? decides : atMost) !== 'none' && (
          <fieldset className="rights" disabled={isResting} aria-label={`What a tap of ${personName} may do`}>
            {rights
              .filter(([one]) => isWithin(one, subscribes ? decides : atMost))
              .map(([one, word]) => (
                <label key={one}>
                  <input
                    type="radio"
                    name={`decides-${id}`}
                    checked={one === decides}
                    onChange={() => onChange({ decides: one })}
                  />
                  {word}
                </label>
              ))}
          </fieldset>
        )}
        {!isGroup && (
          <label className="hides">
            <input
              type="checkbox"
              checked={hidesNames}
              disabled={isResting}
              onChange={(event) => onChange({ hidesNames: event.currentTarget.checked })}
            />
            Without names
          </label>
        )}
        {canTalk && !isGroup && (
          <label className="hides" title="What is written there is this person’s word to JARVIS">
            <input
              type="checkbox"
              checked={talks}
              disabled={isResting}
              onChange={(event) => onChange({ talks: event.currentTarget.checked })}
            />
            Conversation
          </label>
        )}
        {canTalk && talks && (agents.length > 1 || agent !== undefined) && (
          <label className="hides">
            Answered by
            <select
              className="field"
              value={agent ?? ''}
              disabled={isResting}
              onChange={({ currentTarget: { value } }) => onChange({ agent: value === '' ? null : value })}
            >
              <option value="">as agents are bound</option>
              {[...new Set([...agents, ...(agent === undefined ? [] : [agent])])].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        {(pairs || subscribes) && (
          <TwoStep
            act="End"
            object={`${isGroup ? name : personName} on ${channel}`}
            label="End"
            isResting={isResting}
            onDo={onRemove}
          />
        )}
      </span>
    </li>
  )
}
