import type { ProfileName } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { useGrants } from '../../api/grants.ts'
import { readSettings, setProfile } from '../../api/settings.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { ProfileChoice } from '../../features/settings/profile.tsx'
import { plural } from '../../lib/format.ts'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Section, useRights } from './section.tsx'

export function Safety() {
  const { isOperator, isLive, isResting } = useRights()
  const { data, problem, again, put } = useLoad('settings', readSettings, ['connect', 'settings'])
  const grants = useGrants()?.length ?? 0
  const [asked, setAsked] = useState<ProfileName>()
  const [refused, setRefused] = useState<ApiError>()
  const names = data?.profiles.map(({ name }) => name) ?? []
  const isLooser = (next: ProfileName) => data !== undefined && names.indexOf(next) > names.indexOf(data.profile)
  const change = async (profile: ProfileName) => {
    setAsked(undefined)
    try {
      put(await setProfile(profile))
      setRefused(undefined)
      say(`The profile is ${profile} now.`)
    } catch (error) {
      setRefused(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
    }
  }
  return (
    <Section id="safety" title="Safety">
      <p>How much is asked before something is changed. What is never run stays so in every profile.</p>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <Problem error={refused} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={5} height={34} />
      ) : (
        <ProfileChoice
          settings={asked === undefined ? data : { ...data, profile: asked }}
          isResting={isResting}
          onChoose={(next) => (isLooser(next) ? setAsked(next) : void change(next))}
        />
      )}
      {asked !== undefined && (
        <div className="strip" role="alertdialog" aria-label="A looser profile">
          <span>
            <b>{asked} asks less than now.</b> Cards that wait are not decided by it.
          </span>
          <button type="button" className="button small" onClick={() => void change(asked)}>
            Use {asked}
          </button>
          <button type="button" className="button small quiet" onClick={() => setAsked(undefined)}>
            Keep {data?.profile}
          </button>
        </div>
      )}
      <Resting who="owner" isOperator={isOperator} isLive={isLive} />
      <ul className="fact-list">
        <li>
          <Mark kind="none" size={11} />
          <span>
            Policy
            <small>your own rules</small>
          </span>
          <span className="text-soft">policy.yaml, and what nothing may change</span>
          <Link className="button small quiet" to="/settings/policy">
            See it
          </Link>
        </li>
        <li>
          <Mark kind={grants > 0 ? 'running' : 'stopped'} size={11} />
          <span>Grants</span>
          <span className="text-soft">{grants === 0 ? 'none in force' : `${plural(grants, 'grant')} in force`}</span>
          <Link className="button small quiet" to="/waiting">
            See them
          </Link>
        </li>
      </ul>
    </Section>
  )
}
