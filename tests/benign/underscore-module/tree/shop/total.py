from shop._unique import total
