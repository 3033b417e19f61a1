import { PasswordForm } from '../../features/settings/password.tsx'
import { Resting } from '../load-state.tsx'
import { Section, useRights } from './section.tsx'

export function SignIn() {
  const { isOperator, isLive, isResting } = useRights()
  return (
    <Section id="sign-in" title="Sign-in">
      {isOperator && <PasswordForm isResting={isResting} />}
      <Resting isOperator={isOperator} isLive={isLive} />
    </Section>
  )
}
