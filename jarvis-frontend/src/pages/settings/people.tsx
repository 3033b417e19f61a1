import { readMe, readPeople, readRoles } from '../../api/people.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { WaitingAccounts } from '../../features/settings/people/accounts.tsx'
import { Invitations } from '../../features/settings/people/invitations.tsx'
import { PeopleList } from '../../features/settings/people/people-list.tsx'
import { PersonPart } from '../../features/settings/people/person-part.tsx'
import { WhatWouldHappen } from '../../features/settings/people/what-would-happen.tsx'
import { peopleCount, roleSentence } from '../../features/settings/people/words.ts'
import { YourDevices, YourFactors } from '../../features/settings/people/you.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { Section, useRights } from './section.tsx'
import './people.css'

const watched = ['connect', 'people']

/** The people: their roles, how they sign in, and where they are signed in. */
export function People() {
  const { isLive, isOperator: decides } = useRights('operator')
  const me = useLoad('me', readMe, watched)
  return (
    <Section id="people" title="People and devices">
      <p>A person decides; no token can. Who asked and who decided stand on every card and in the journal.</p>
      <Problem error={me.problem} onAgain={me.again} kept={me.data !== undefined} />
      {me.data === undefined ? (
        me.problem === undefined && <Skeletons rows={6} height={34} />
      ) : (
        <>
          <Everybody own={me.data.person.id} isOwner={me.data.person.role === 'owner'} isLive={isLive} />
          <h3>You</h3>
          <p className="role-sentence">
            <b>
              <Visible text={me.data.person.name} />
            </b>{' '}
            <Visible text={roleSentence(me.data.person.role, undefined)} />
          </p>
          <YourFactors me={me.data} decides={decides} isResting={!isLive} onChanged={me.again} />
          <h3>Your devices</h3>
          <YourDevices isResting={!isLive} />
        </>
      )}
      <Resting isOperator isLive={isLive} />
    </Section>
  )
}

/** The list of people. Owners also see invitations and every action on people. */
function Everybody({ own, isOwner, isLive }: { own: string; isOwner: boolean; isLive: boolean }) {
  const [params, narrow] = useNarrowing()
  const people = useLoad(`people ${isOwner}`, readPeople, watched)
  const roles = useLoad('roles', readRoles, ['connect', 'settings']).data?.items
  if (people.data === undefined) {
    return people.problem === undefined ? (
      <Skeletons rows={3} height={34} />
    ) : (
      <Problem error={people.problem} onAgain={people.again} />
    )
  }
  const { items: all, roles: given } = people.data
  const open = isOwner ? all.find(({ id }) => id === params.get('person')) : undefined
  return (
    <>
      <h3>
        People <small>{peopleCount(all.length)}</small>
      </h3>
      <PeopleList
        people={all}
        roles={roles}
        own={own}
        open={open?.id}
        onOpen={isOwner ? (id) => narrow({ person: id }) : undefined}
      >
        {open !== undefined && (
          <PersonPart
            key={open.id}
            person={open}
            people={all}
            given={given}
            roles={roles}
            isOwn={open.id === own}
            isResting={!isLive}
            onChanged={people.again}
          >
            <WhatWouldHappen person={open} />
          </PersonPart>
        )}
      </PeopleList>
      {isOwner ? (
        <>
          <Invitations people={all} given={given} roles={roles} isResting={!isLive} />
          <WaitingAccounts given={given} isResting={!isLive} />
        </>
      ) : (
        <p>An owner changes what each may do.</p>
      )}
    </>
  )
}
