import { useRef } from 'react'
import { readMe, readPeople, readRoles } from '../../api/people.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { WaitingAccounts } from '../../features/settings/people/accounts.tsx'
import { Invitations } from '../../features/settings/people/invitations.tsx'
import { PeopleList } from '../../features/settings/people/people-list.tsx'
import { peopleCount, roleSentence } from '../../features/settings/people/words.ts'
import { YourDevices, YourFactors } from '../../features/settings/people/you.tsx'
import { useSearchParams } from '../../lib/location.tsx'
import { Visible } from '../../ui/boxed.tsx'
import { PersonPane, useFocusBack } from './person-pane.tsx'
import { Section, useRights } from './section.tsx'
import './people.css'

const watched = ['connect', 'people']
const listAt = '/settings/people'
const personAt = (id: string) => `/settings/people?person=${encodeURIComponent(id)}`

/** The people: their roles, how they sign in, and their sign-ins. An owner can open a person's details beside the list. */
export function People() {
  const { isLive, isOperator: decides } = useRights('operator')
  const { isOperator: isOwner } = useRights('owner')
  const [params] = useSearchParams()
  const me = useLoad('me', readMe, watched)
  const people = useLoad('people', readPeople, watched)
  const roles = useLoad('roles', readRoles, ['connect', 'settings']).data?.items
  const own = me.data?.person.id
  const open = isOwner ? people.data?.items.find(({ id }) => id === params.get('person')) : undefined
  const head = useRef<HTMLHeadingElement>(null)
  useFocusBack(open?.id, head)
  const pane = open !== undefined && people.data !== undefined && (
    <PersonPane
      key={open.id}
      listAt={listAt}
      person={open}
      people={people.data.items}
      given={people.data.roles}
      roles={roles}
      isOwn={open.id === own}
      isResting={!isLive}
      onChanged={people.again}
    />
  )
  const again = () => {
    me.again()
    people.again()
  }
  return (
    <Section id="people" title="People and devices" aside={pane || null}>
      <p>A person decides; no token can. Who asked and who decided stand on every card and in the journal.</p>
      <Problem
        error={me.problem ?? people.problem}
        onAgain={again}
        kept={me.data !== undefined && people.data !== undefined}
      />
      {me.data === undefined || people.data === undefined ? (
        me.problem === undefined && people.problem === undefined && <Skeletons rows={6} height={34} />
      ) : (
        <>
          <h3 ref={head} tabIndex={-1}>
            People <small>{peopleCount(people.data.items.length)}</small>
          </h3>
          <PeopleList
            people={people.data.items}
            roles={roles}
            own={me.data.person.id}
            open={open?.id}
            linkTo={isOwner ? personAt : undefined}
          />
          {isOwner ? (
            <>
              <Invitations
                people={people.data.items}
                own={me.data.person}
                given={people.data.roles}
                roles={roles}
                isResting={!isLive}
                onRenamed={again}
              />
              <WaitingAccounts given={people.data.roles} isResting={!isLive} />
            </>
          ) : (
            <p>An owner changes what each may do.</p>
          )}
          <h3>You</h3>
          <p className="role-sentence">
            You sign in as{' '}
            <b>
              <Visible text={me.data.person.name} />
            </b>
            . <Visible text={roleSentence(me.data.person.role, undefined)} />
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
