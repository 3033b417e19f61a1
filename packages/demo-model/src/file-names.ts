/** Endings of files that a person opens by name. A unit (`nginx.service`) is a service first. */
export const fileEndings = 'cfg|conf|css|csv|env|html?|ini|js|json|log|md|py|sh|toml|ts|txt|xml|ya?ml'
