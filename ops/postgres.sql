-- Runs once, when the volume is empty. Cairn's role owns its database and is no superuser.
\getenv password DATABASE_PASSWORD
CREATE ROLE cairn LOGIN PASSWORD :'password';
CREATE DATABASE cairn OWNER cairn ENCODING 'UTF8' TEMPLATE template0;
