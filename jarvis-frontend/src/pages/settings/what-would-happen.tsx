import type { TryRoleReply } from 'protocol'
import { useState } from 'react'
import { type KnownPerson, tryRole } from '../../api/people.ts'
import { useTools } from '../../api/tools.ts'
import { useKnownNames } from '../../app/known-names.ts'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { useAttempt } from '../../features/settings/people/use-attempt.ts'
import { objectIn } from '../../features/tools/arguments.ts'
import { CallChoice } from '../../features/tools/call-choice.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier } from '../../ui/tier.tsx'

/** Shows the gate's verdict on one call of a person. Runs nothing. */
export function WhatWouldHappen({ person: { id, name } }: { person: KnownPerson }) {
  const [found, setFound] = useState<TryRoleReply>()
  const { problem, isBusy, attempt, say } = useAttempt()
  const judge = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const input = objectIn(String(given.get('inputs') ?? ''))
    setFound(undefined)
    if (input === undefined) return say('The arguments are not JSON, as {"vmid": 104}.')
    const toolName = String(given.get('tool') ?? '').trim()
    await attempt(async () => setFound(await tryRole({ person: id, toolName, toolInput: input })))
  }
  return (
    <>
      <PanelHead as="h4" title="What would happen?" />
      <form
        className="form-row"
        aria-label={`What would happen to a call of ${name}?`}
        onSubmit={(event) => {
          event.preventDefault()
          void judge(event.currentTarget)
        }}
      >
        <CallChoice tools={useTools()} names={useKnownNames()} />
        <button type="submit" className="button" disabled={isBusy}>
          Judge it
        </button>
      </form>
      {found !== undefined && (
        <p className="try-verdict" role="status">
          <Tier tier={found.tier} size={13} />
          <span>
            <b>
              {outcomes[found.verdict]} for <Visible text={name} />.
            </b>{' '}
            <Visible text={found.because} />
            {found.who !== undefined && (
              <>
                {' '}
                Decided by <Visible text={found.who} />.
              </>
            )}
          </span>
        </p>
      )}
      <FormProblem text={problem} />
    </>
  )
}

const outcomes = { runs: 'Runs', asks: 'Asks', refused: 'Wrong arguments', black: 'Refused' } as const
