/** Extensions of files that a person opens by name. `.service` is left out, because `nginx.service` is rather a service. */
export const fileEndings = 'cfg|conf|css|csv|env|html?|ini|js|json|log|md|py|sh|toml|ts|txt|xml|ya?ml'
