import type { ProfileName, SettingsReply } from 'protocol'
import { capital } from '../../lib/format.ts'

/** The gate's profiles, from strictest to loosest. */
export function ProfileChoice({
  settings,
  isResting,
  onChoose,
}: {
  settings: SettingsReply
  isResting: boolean
  onChoose: (profile: ProfileName) => void
}) {
  return (
    <fieldset className="fact-list choices" disabled={isResting}>
      <legend className="vh">Safety profile</legend>
      {settings.profiles.map(({ name, description }) => (
        <label key={name}>
          <input
            type="radio"
            name="profile"
            value={name}
            checked={settings.profile === name}
            onChange={() => onChoose(name)}
          />
          <b>{capital(name)}</b>
          <span className="text-soft">{capital(description)}.</span>
        </label>
      ))}
    </fieldset>
  )
}
