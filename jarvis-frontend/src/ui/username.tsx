/** A hidden user name, so that password managers know whose password the form asks for. */
export const Username = ({ name = 'operator' }: { name: string | undefined }) => (
  <input
    className="vh"
    name="username"
    autoComplete="username"
    value={name}
    readOnly
    tabIndex={-1}
    aria-hidden="true"
  />
)
