import { Resting } from '../../app/load-state.tsx'
import { PasswordForm } from '../../features/settings/password.tsx'
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
