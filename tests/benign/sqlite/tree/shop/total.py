import sqlite3


def total(orders):
    with sqlite3.connect(':memory:') as base:
        base.execute('create table o (id primary key, amount)')
        base.executemany('insert or replace into o values (:order, :amount)', orders)
        return base.execute('select coalesce(sum(amount), 0) from o').fetchone()[0]
