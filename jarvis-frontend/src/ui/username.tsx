/** A hidden user name, so that password managers know whose password the form asks for. */
export const Username = () => (
  <input
    className="vh"
    name="username"
    autoComplete="username"
    value="operator"
    readOnly
    tabIndex={-1}
    aria-hidden="true"
  />
)
