import type { ChannelInfo, ChannelRecipient } from 'jarvis-backend/protocol'
import { useState } from 'react'
import {
  changeRecipient,
  checkChannel,
  forgetChannel,
  removeRecipient,
  saveChannel,
  testChannel,
} from '../../../api/channels.ts'
import { exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { FormProblem, FormSaid, type Said } from '../form-problem.tsx'
import { TwoStep } from '../people/two-step.tsx'
import { useAttempt } from '../people/use-attempt.ts'
import { isWithin, rights } from './words.ts'

/** One channel: whom it reaches, what a tap there may do, its settings, a test. */
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
  /** The pairings that wait. */
  children: React.ReactNode
}) {
  const { id, name, readers, state, from, recipients, pairs, settings } = channel
  const { problem, isBusy, attempt } = useAttempt()
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
          <button
            type="button"
            className="button small quiet"
            disabled={isResting || isBusy}
            onClick={() => void check()}
          >
            Ask the service
          </button>
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
        <ul className="fact-list recipients" aria-label={pairs ? 'Paired' : 'Reached'}>
          {recipients.map((one) => (
            <Recipient
              key={one.id}
              recipient={one}
              channel={channel}
              isResting={isResting || isBusy}
              onChange={(body) => act(() => changeRecipient(one.id, body))}
              onRemove={() => act(() => removeRecipient(one.id))}
            />
          ))}
        </ul>
      )}
      {channel.atMost === 'approve' && (
        <p>
          Raising to Approve asks for your password, here. Heavy cards never get a button that approves: they say Look.
        </p>
      )}
      {state === 'on' && pairs && children}
      {from === 'environment' ? (
        <p>Its settings come from the environment, so they are changed there.</p>
      ) : (
        isOwner && (
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
      <p>Never sent: tool output, commands, notes, addresses, secrets, links that decide or sign in.</p>
    </>
  )
}

function Recipient({
  recipient: { id, personName, user, name, decides, hidesNames, createdAt, problem },
  channel: { atMost, pairs, name: channel },
  isResting,
  onChange,
  onRemove,
}: {
  recipient: ChannelRecipient
  channel: ChannelInfo
  isResting: boolean
  onChange: (body: { decides?: ChannelRecipient['decides']; hidesNames?: boolean }) => void
  onRemove: () => void
}) {
  return (
    <li>
      <span className="recipient-name">
        <b>
          <Visible text={personName} />
        </b>
        <small>
          {pairs ? (
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
        {atMost !== 'none' && (
          <fieldset className="rights" disabled={isResting} aria-label={`What a tap of ${personName} may do`}>
            {rights
              .filter(([one]) => isWithin(one, atMost))
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
        <label className="hides">
          <input
            type="checkbox"
            checked={hidesNames}
            disabled={isResting}
            onChange={(event) => onChange({ hidesNames: event.currentTarget.checked })}
          />
          Without names
        </label>
        {pairs && (
          <TwoStep act="End" object={`${personName} on ${channel}`} label="End" isResting={isResting} onDo={onRemove} />
        )}
      </span>
    </li>
  )
}
