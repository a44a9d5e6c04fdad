create table t(id integer primary key, name text, filler blob);
with recursive c(x) as (values(1) union all select x+1 from c where x<20000) insert into t select x, 'name '||x, zeroblob(800) from c;
create index t_name on t(name);
update t set name = 'n'||(id*7919%20011) where id%20=0;
select count(*), sum(length(filler)) from t where name > 'n5';
